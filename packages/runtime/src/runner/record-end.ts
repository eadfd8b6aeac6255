import { setTimeout as pause } from 'node:timers/promises';
import { errorCode, messageOf } from '../errors.ts';
import type { ExecutionEnd } from '../types.ts';

/** Milliseconds between two attempts. */
const AGAIN_MS = 1_000;
/** Milliseconds for a disk to take an end. Beyond them the end is reported without a record. */
const RETRY_MS = 60_000;

/**
 * Records an end before it is reported. Never rejects. If the disk is full or away, it tries again for a while. Any
 * other error is a fault of the end itself and would repeat: then an end without its output is recorded.
 *
 * An end that is reported without a record is collected like any other. If the runner dies before, the execution is
 * LOST.
 * @param complete returns the end with everything that belongs to its record.
 * @param freed aborted when the slot is needed: then nothing is tried again.
 */
export async function recordEnd(
  records: { recordEnd(end: ExecutionEnd): Promise<void> },
  complete: () => ExecutionEnd,
  ended: ExecutionEnd,
  freed: AbortSignal,
  retryMs: number = RETRY_MS,
): Promise<ExecutionEnd> {
  const deadline = performance.now() + retryMs;
  let end: ExecutionEnd | null = null;
  for (let make = complete; ;) {
    try {
      end = make();
      await records.recordEnd(end);
      return end;
    } catch (error) {
      console.error(`the end of ${ended.executionId} could not be recorded: ${messageOf(error)}`);
      const passes = isOfDisk(error);
      if (passes && !freed.aborted && performance.now() < deadline) {
        await pause(AGAIN_MS, null, { signal: freed }).catch(() => undefined);
        continue;
      }
      const isPlain = make !== complete;
      if (passes || isPlain) return isPlain ? plainEnd(ended) : (end ?? plainEnd(ended));
      make = () => plainEnd(ended);
    }
  }
}

/** Returns true for an error of the system, such as a full disk. Any other is a fault of the content, and repeats. */
export function isOfDisk(error: unknown): boolean {
  return /^E[A-Z0-9]+$/.test(errorCode(error) ?? '');
}

/** An end without anything that the execution has left. It can always be recorded. */
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
