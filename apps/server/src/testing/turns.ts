import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Does something, and counts the turns of the thread meanwhile. `longest` is the longest of them in microseconds of processor
 * time, which other programs do not add to.
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
