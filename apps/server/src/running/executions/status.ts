import { isFinal, type ServiceExecution } from '@kethub/contract';
import { beginWait, type WantedWait } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { presentStatus } from './present.ts';
import { executionNotFound, type ExecutionReader, type ExecutionScope } from './scope.ts';
import type { ReadStatus, StatusReader } from './status-reader.ts';
import type { ExecutionWatch } from './watch.ts';

/** Sources of statuses and of their changes. */
export interface Waiting {
  readonly watch: ExecutionWatch;
  readonly statuses: StatusReader;
}

/** A request that waits for an execution to change. */
interface WaitingRequest {
  readonly scope: ExecutionScope;
  readonly id: string;
  readonly wait: WantedWait;
}

/** A status, and the seconds for which the request may have waited for it. */
export interface WaitedStatus {
  readonly read: ReadStatus;
  readonly seconds: number;
}

/** The status. It waits for the status to change, if that is wanted. Throws execution-not-found. */
export async function readStatus(
  platform: Platform,
  waiting: Waiting,
  { id: caller, scope }: ExecutionReader,
  id: string,
  wait: WantedWait,
): Promise<WaitedStatus> {
  const { seconds, end } = beginWait(platform, caller, wait);
  if (seconds > 0) return readChangedStatus(waiting, { scope, id, wait }).finally(end);
  return { read: await requireStatus(waiting, scope, id), seconds: 0 };
}

async function readChangedStatus(waiting: Waiting, waiter: WaitingRequest): Promise<WaitedStatus> {
  const first = await requireStatus(waiting, waiter.scope, waiter.id);
  const unchanged = (read: ReadStatus | null): boolean => read?.status === first.status && !isFinal(first.status);
  return { read: await waitWhile(waiting, waiter, first, unchanged), seconds: waiter.wait.seconds };
}

/**
 * The status object once the execution has ended, or as it is after the wait. `isNew`: it was accepted in this turn of
 * the event loop, so no notification of its end can have been missed.
 */
export async function waitForEnd(waiting: Waiting, waiter: WaitingRequest, isNew: boolean): Promise<ServiceExecution> {
  const running = (read: ReadStatus | null): boolean => read === null || !isFinal(read.status);
  const first = isNew ? null : await requireStatus(waiting, waiter.scope, waiter.id);
  const { row } = await waitWhile(waiting, waiter, first, running);
  return presentStatus(row);
}

async function waitWhile(
  waiting: Waiting,
  { scope, id, wait: { seconds, whenGone } }: WaitingRequest,
  first: ReadStatus | null,
  unchanged: (read: ReadStatus | null) => boolean,
): Promise<ReadStatus> {
  const { watch, statuses } = waiting;
  const ending = new AbortController();
  const stop = (): void => ending.abort();
  const timer = setTimeout(stop, seconds * 1000);
  const stay = whenGone(stop);
  const end = ending.signal;
  let latest = first;
  try {
    while (unchanged(latest) && !end.aborted) {
      // Listening starts before reading, so that a change in between is not missed.
      const changed = watch.changed(id, end);
      if (latest !== null) latest = await requireStatus(waiting, scope, id);
      if (!unchanged(latest)) break;
      const published = await changed;
      latest = existing(scope, await statuses.readChanged(scope, id, published), id);
    }
  } finally {
    clearTimeout(timer);
    stay();
  }
  return latest === null || end.aborted ? requireStatus(waiting, scope, id) : latest;
}

async function requireStatus({ statuses }: Waiting, scope: ExecutionScope, id: string): Promise<ReadStatus> {
  return existing(scope, await statuses.read(scope, id), id);
}

function existing(scope: ExecutionScope, read: ReadStatus | undefined, id: string): ReadStatus {
  if (!read) throw executionNotFound(scope, id);
  return read;
}
