import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Runs `work` and counts the turns of the event loop meanwhile. `longest` is the longest turn in microseconds of
 * processor time, to which other programs do not add.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<{ turns: number; longest: number }> {
  await nextTurn();
  let before = process.threadCpuUsage();
  let [turns, longest] = [0, 0];
  const done = new AbortController();
  const working = work().finally(() => done.abort());
  do {
    await nextTurn();
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    turns += 1;
    longest = Math.max(longest, user + system);
  } while (!done.signal.aborted);
  await working;
  return { turns, longest };
}
