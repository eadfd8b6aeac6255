import type { WorkflowJobRow } from '../../../foundation/storage/index.ts';
import { RemoteFault } from './remote-fault.ts';

const RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

/** How often something is tried again; with the pauses between, about so long. */
export const retries = {
  /** 2 minutes: nobody may be at work for the task, and whoever waits for it wants to know. */
  start: 9,
  /** 7 minutes and a half: what the platform itself could not do by then, the task learns as a failure. */
  platform: 20,
  /** An hour: at the provider's there is a result, work that would have to be done once more, or work to be cancelled. */
  running: 125,
} as const;

/** How long to wait after the try with this number, from 0, has failed. */
export function pauseAfter(attempts: number): number {
  return Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** Math.min(attempts, 10));
}

/** Whether a job that has failed like this is not worked on again. */
export function isOver({ state, attempts }: Pick<WorkflowJobRow, 'state' | 'attempts'>, error: unknown): boolean {
  if (!(error instanceof RemoteFault)) return attempts >= retries.platform;
  if (!error.mayPass) return true;
  const isAtWork = state === 'REMOTE' || state === 'CANCELLING' || state === 'WITHDRAWN';
  return attempts >= (isAtWork ? retries.running : retries.start);
}
