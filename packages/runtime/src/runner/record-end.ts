import { setTimeout as pause } from 'node:timers/promises';
import { errorCode, messageOf } from '../errors.ts';
import type { ExecutionEnd } from '../types.ts';

const AGAIN_MS = 1_000;
/** So long, in milliseconds, a disk is given to take an end. Then the end is told without its record. */
const PATIENCE_MS = 60_000;

/**
 * Records an end before it is told. A disk that is full or away is asked again for a while. Everything else is wrong with the
 * end itself and would be tomorrow as well: then an end without it is recorded. Never rejects.
 * An end that is told without a record is collected like any other; should the runner die before, it is told as LOST.
 * @param complete the end with all that is told beside it.
 * @param freed somebody needs the place: nothing is tried again.
 */
export async function recordEnd(
  records: { recordEnd(end: ExecutionEnd): Promise<void> },
  complete: () => ExecutionEnd,
  ended: ExecutionEnd,
  freed: AbortSignal,
  patienceMs: number = PATIENCE_MS,
): Promise<ExecutionEnd> {
  const deadline = performance.now() + patienceMs;
  let end: ExecutionEnd | null = null;
  for (let make = complete; ;) {
    try {
      end = make();
      await records.recordEnd(end);
      return end;
    } catch (error) {
      console.error(`the end of ${ended.executionId} could not be recorded: ${messageOf(error)}`);
      const isOfDisk = /^E[A-Z0-9]+$/.test(errorCode(error) ?? '');
      if (isOfDisk && !freed.aborted && performance.now() < deadline) {
        await pause(AGAIN_MS, null, { signal: freed }).catch(() => undefined);
        continue;
      }
      const isPlain = make !== complete;
      if (isOfDisk || isPlain) return isPlain ? plainEnd(ended) : (end ?? plainEnd(ended));
      make = () => plainEnd(ended);
    }
  }
}

/** What can be recorded and told whatever the execution has left: nothing of that is in it. */
function plainEnd(ended: ExecutionEnd): ExecutionEnd {
  const { executionId, outcome, startedAt, endedAt, logBytes, cpuMs, peakMemoryBytes } = ended;
  return {
    executionId,
    outcome: outcome === 'SUCCEEDED' ? 'FAILED' : outcome,
    cause: {
      type: 'EndNotKept',
      title: 'End not kept',
      detail: 'What the execution left could not be recorded. The operator finds the cause in the log of the runner.',
    },
    startedAt,
    endedAt,
    result: null,
    files: [],
    peakMemoryBytes,
    cpuMs,
    logBytes,
  };
}
