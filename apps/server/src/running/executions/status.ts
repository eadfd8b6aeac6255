import { isFinal, type ServiceExecution } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { beginWait, etag, isFresh, type Answer } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { presentStatus } from './present.ts';
import { executionNotFound, type ExecutionReader, type ExecutionScope } from './scope.ts';
import type { ReadStatus, StatusReader } from './status-reader.ts';
import type { ExecutionWatch } from './watch.ts';

const json = { 'content-type': 'application/json; charset=utf-8' };

/** Sources of statuses and of their changes. */
export interface Waiting {
  readonly watch: ExecutionWatch;
  readonly statuses: StatusReader;
}

/** A request that waits for an execution to change. */
interface WaitingRequest {
  readonly scope: ExecutionScope;
  readonly id: string;
  readonly seconds: number;
  readonly request: FastifyRequest;
}

/** The status object. `Prefer: wait=N` waits for it to change. Throws execution-not-found. */
export async function readStatus(
  platform: Platform,
  waiting: Waiting,
  { id: caller, scope }: ExecutionReader,
  id: string,
  request: FastifyRequest,
): Promise<Answer> {
  const { seconds, end } = beginWait(platform, caller, request);
  if (seconds > 0) return readChangedStatus(waiting, { scope, id, seconds, request }).finally(end);
  return answerStatus(await requireStatus(waiting, scope, id), request, 0);
}

async function readChangedStatus(waiting: Waiting, waiter: WaitingRequest): Promise<Answer> {
  const first = await requireStatus(waiting, waiter.scope, waiter.id);
  const unchanged = (read: ReadStatus | null): boolean => read?.status === first.status && !isFinal(first.status);
  const changed = await waitWhile(waiting, waiter, first, unchanged);
  return answerStatus(changed, waiter.request, waiter.seconds);
}

function answerStatus({ status, text }: ReadStatus, request: FastifyRequest, seconds: number): Answer {
  const tag = etag(status);
  if (isFresh(request, tag)) return { status: 304, headers: { etag: tag } };
  const waited = seconds > 0 && { 'preference-applied': `wait=${seconds}` };
  // Text skips the serializer, which would be 5 % of this most frequent request.
  return { status: 200, body: text, headers: { ...json, etag: tag, ...waited } };
}

/**
 * The status object once the execution has ended, or as it is after `seconds`. `isNew`: it was accepted in this turn of
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
  { scope, id, seconds, request }: WaitingRequest,
  first: ReadStatus | null,
  unchanged: (read: ReadStatus | null) => boolean,
): Promise<ReadStatus> {
  const { watch, statuses } = waiting;
  const { socket } = request.raw;
  const ending = new AbortController();
  const stop = (): void => ending.abort();
  const timer = setTimeout(stop, seconds * 1000);
  socket.once('close', stop);
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
    // The connection serves many requests: it would collect a listener from each.
    socket.off('close', stop);
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
