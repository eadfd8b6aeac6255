import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long one instance is advanced in one go, in milliseconds of the thread that serves everybody. */
const SLICE_MS = 10;
/** So much, at least, is done of it: a step of a few elements is not torn because the machine was busy. */
const LEAST_COMMANDS = 32;
/** Unless it takes so many milliseconds of processor time. */
const MOST_MS = 40;
/** Milliseconds of processor time that the owners of a batch share. */
const BATCH_MS = 40;

interface Owned {
  readonly row: { readonly owner: string };
}

/**
 * Does something for each of many instances, and lets others have the thread in between. Owners have the same share of its
 * processor time: what there is of one beyond that is left for another batch. `isOver` says when an instance has to stop.
 */
export async function inSlices<W extends Owned, R>(
  work: readonly W[],
  advance: (one: W, isOver: () => boolean) => R,
  leave: (one: W) => R,
): Promise<R[]> {
  const share = BATCH_MS / new Set(work.map(({ row }) => row.owner)).size;
  const used = new Map<string, number>();
  const results: R[] = [];
  let turn = performance.now();
  for (const one of work) {
    const { owner } = one.row;
    const before = used.get(owner) ?? 0;
    if (before >= share) {
      results.push(leave(one));
      continue;
    }
    const took = stopwatch();
    results.push(advance(one, sliceOf(Math.min(SLICE_MS, share - before), took)));
    used.set(owner, before + took());
    if (performance.now() - turn < SLICE_MS) continue;
    await nextTurn();
    turn = performance.now();
  }
  return results;
}

/** Milliseconds of processor time of this thread since now. */
function stopwatch(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}

function sliceOf(milliseconds: number, took: () => number): () => boolean {
  const began = performance.now();
  let commands = 0;
  return () => {
    commands += 1;
    if (performance.now() - began < milliseconds) return false;
    return commands > LEAST_COMMANDS || took() >= MOST_MS;
  };
}

/** The turn of whoever does many small things: ends after some milliseconds, so that others have theirs. */
export class TimeSlice {
  #began = performance.now();

  async end(): Promise<void> {
    if (performance.now() - this.#began < SLICE_MS) return;
    await nextTurn();
    this.#began = performance.now();
  }
}
