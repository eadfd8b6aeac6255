import { isFinal, type ServiceExecution } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { beginWait, etag, isFresh, type Answer } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { presentStatus } from './present.ts';
import { notThere, type ExecutionScope } from './scope.ts';
import type { ReadStatus, StatusReader } from './status-reader.ts';
import type { ExecutionWatch } from './watch.ts';

const json = { 'content-type': 'application/json; charset=utf-8' };

/** `GET /{id}`: the status object; `Prefer: wait=N` waits for it to change. `caller` names the person or application. */
export async function readStatus(
  platform: Platform,
  caller: string,
  watch: ExecutionWatch,
  statuses: StatusReader,
  scope: ExecutionScope,
  id: string,
  request: FastifyRequest,
): Promise<Answer> {
  const { seconds, end } = beginWait(platform, caller, request);
  if (seconds > 0) return readChangedStatus(watch, statuses, scope, id, seconds, request).finally(end);
  return answerStatus(existing(scope, await statuses.read(scope, id), id), request, 0);
}

async function readChangedStatus(
  watch: ExecutionWatch,
  statuses: StatusReader,
  scope: ExecutionScope,
  id: string,
  seconds: number,
  request: FastifyRequest,
): Promise<Answer> {
  const first = existing(scope, await statuses.read(scope, id), id);
  const unchanged = (read: ReadStatus | null): boolean => read?.status === first.status && !isFinal(first.status);
  const changed = await waitWhile(watch, statuses, scope, id, first, seconds, request, unchanged);
  return answerStatus(changed, request, seconds);
}

function answerStatus({ status, text }: ReadStatus, request: FastifyRequest, seconds: number): Answer {
  const tag = etag(status);
  if (isFresh(request, tag)) return { status: 304, headers: { etag: tag } };
  const waited = seconds > 0 && { 'preference-applied': `wait=${seconds}` };
  // As text: what polls most is spared the way through the serializer (5 % of a request).
  return { status: 200, body: text, headers: { ...json, etag: tag, ...waited } };
}

/**
 * The status object once the execution has ended, or as it is after `seconds`. With `accepted` it was accepted in this
 * very turn of the event loop: nobody can have told of its end yet.
 */
export async function waitForEnd(
  watch: ExecutionWatch,
  statuses: StatusReader,
  scope: ExecutionScope,
  id: string,
  seconds: number,
  request: FastifyRequest,
  accepted: boolean,
): Promise<ServiceExecution> {
  const running = (read: ReadStatus | null): boolean => read === null || !isFinal(read.status);
  const first = accepted ? null : existing(scope, await statuses.read(scope, id), id);
  const { row } = await waitWhile(watch, statuses, scope, id, first, seconds, request, running);
  return presentStatus(row);
}

async function waitWhile(
  watch: ExecutionWatch,
  statuses: StatusReader,
  scope: ExecutionScope,
  id: string,
  first: ReadStatus | null,
  seconds: number,
  request: FastifyRequest,
  unchanged: (read: ReadStatus | null) => boolean,
): Promise<ReadStatus> {
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
      if (latest !== null) latest = existing(scope, await statuses.read(scope, id), id);
      if (!unchanged(latest)) break;
      const told = await changed;
      latest = existing(scope, await statuses.readChanged(scope, id, told), id);
    }
  } finally {
    clearTimeout(timer);
    // The connection serves many requests and would collect a listener from each.
    socket.off('close', stop);
  }
  return latest === null || end.aborted ? existing(scope, await statuses.read(scope, id), id) : latest;
}

function existing(scope: ExecutionScope, read: ReadStatus | undefined, id: string): ReadStatus {
  if (!read) throw notThere(scope, id);
  return read;
}
