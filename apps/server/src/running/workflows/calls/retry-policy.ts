import { isStoreAway, type WorkflowJobRow } from '../../../foundation/storage/index.ts';
import { RemoteFault } from './remote-fault.ts';

const RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

/** Number of tries; the comments give the total time with the pauses between them. */
export const retries = {
  /** 2 minutes: possibly nothing runs for the task, and somebody waits for it. */
  start: 9,
  /** 7.5 minutes: then the task fails because of the platform. */
  platform: 20,
  /** An hour: the provider has a result, work that would have to be repeated, or work to be cancelled. */
  running: 125,
} as const;

/** Milliseconds to wait after a failed try; the first try is 0. */
export function pauseAfter(attempts: number): number {
  return Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** Math.min(attempts, 10));
}

/** Returns whether a job that has failed with `error` is not tried again. */
export function isOver({ state, attempts }: Pick<WorkflowJobRow, 'state' | 'attempts'>, error: unknown): boolean {
  if (!(error instanceof RemoteFault)) return attempts >= retries.platform && !isStoreAway(error);
  if (!error.isTransient) return true;
  const isAtWork = state === 'REMOTE' || state === 'CANCELLING' || state === 'WITHDRAWN';
  return attempts >= (isAtWork ? retries.running : retries.start);
}
