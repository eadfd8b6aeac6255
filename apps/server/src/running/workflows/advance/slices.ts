import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds for which one instance is advanced in one go on the thread that everybody shares. */
const SLICE_MS = 10;
/** Commands that are done in any case, so that a small step is not interrupted because the machine was busy. */
const LEAST_COMMANDS = 32;
/** Milliseconds of processor time after which even those commands are interrupted. */
const MOST_MS = 40;
/**
 * Milliseconds of processor time that the owners of a batch share. Beyond its share, the work of an owner is left for
 * another batch.
 */
const BATCH_MS = 40;

interface Owned {
  readonly row: { readonly owner: string };
}

/**
 * Advances many instances, and yields the thread in between. Owners have equal shares of the processor time; what
 * exceeds a share is left for another batch. `isOver` says when an instance has to stop.
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

/** Returns the processor time of this thread since this call, in milliseconds. */
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

/** A slice of the thread for many small tasks: `end` yields the thread when the slice is used up. */
export class TimeSlice {
  #began = performance.now();

  async end(): Promise<void> {
    if (performance.now() - this.#began < SLICE_MS) return;
    await nextTurn();
    this.#began = performance.now();
  }
}
