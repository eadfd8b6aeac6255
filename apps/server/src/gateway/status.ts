import { isFinal, type ServiceExecution } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { presentStatus, type ExecutionWatch, type StatusReader, type StatusRow } from '../executions/index.ts';
import { etag, isFresh, preferredWait, Problem, type Answer } from '../http/index.ts';
import type { Subscriber } from './access.ts';

const json = { 'content-type': 'application/json; charset=utf-8' };

/** `GET /{id}`: the status object; `Prefer: wait=N` waits for it to change. */
export function readStatus(
  watch: ExecutionWatch,
  statuses: StatusReader,
  caller: Subscriber,
  id: string,
  request: FastifyRequest,
): Answer | Promise<Answer> {
  const seconds = preferredWait(request.headers.prefer);
  if (seconds > 0) return readChangedStatus(watch, statuses, caller, id, seconds, request);
  const row = statuses.read(caller.subscriptionId, id);
  return row instanceof Promise
    ? row.then((later) => answerStatus(existing(later, id), request, 0))
    : answerStatus(existing(row, id), request, 0);
}

async function readChangedStatus(
  watch: ExecutionWatch,
  statuses: StatusReader,
  { subscriptionId }: Subscriber,
  id: string,
  seconds: number,
  request: FastifyRequest,
): Promise<Answer> {
  const row = existing(await statuses.read(subscriptionId, id), id);
  const unchanged = ({ status }: StatusRow): boolean => status === row.status && !isFinal(status);
  const changed = await waitWhile(watch, statuses, subscriptionId, row, seconds, request, unchanged);
  return answerStatus(changed, request, seconds);
}

function answerStatus(row: StatusRow, request: FastifyRequest, seconds: number): Answer {
  const tag = etag(row.status);
  if (isFresh(request, tag)) return { status: 304, headers: { etag: tag } };
  const waited = seconds > 0 && { 'preference-applied': `wait=${seconds}` };
  // As text: what polls most is spared the way through the serializer (5 % of a request).
  return { status: 200, body: JSON.stringify(presentStatus(row)), headers: { ...json, etag: tag, ...waited } };
}

/** The status object once the execution has ended, or as it is after `seconds`. */
export async function waitForEnd(
  watch: ExecutionWatch,
  statuses: StatusReader,
  subscriptionId: string,
  id: string,
  seconds: number,
  request: FastifyRequest,
): Promise<ServiceExecution> {
  const row = existing(await statuses.read(subscriptionId, id), id);
  return presentStatus(
    await waitWhile(watch, statuses, subscriptionId, row, seconds, request, ({ status }) => !isFinal(status)),
  );
}

async function waitWhile(
  watch: ExecutionWatch,
  statuses: StatusReader,
  subscriptionId: string,
  row: StatusRow,
  seconds: number,
  request: FastifyRequest,
  unchanged: (row: StatusRow) => boolean,
): Promise<StatusRow> {
  const { socket } = request.raw;
  const gone = new AbortController();
  const hangUp = (): void => gone.abort();
  socket.once('close', hangUp);
  const end = AbortSignal.any([AbortSignal.timeout(seconds * 1000), gone.signal]);
  let latest = row;
  try {
    while (unchanged(latest) && !end.aborted) {
      // Listening starts before reading, so that a change in between is not missed.
      const changed = watch.changed(row.id, end);
      latest = existing(await statuses.read(subscriptionId, row.id), row.id);
      if (!unchanged(latest)) break;
      await changed;
    }
  } finally {
    // The connection serves many requests and would collect a listener from each.
    socket.off('close', hangUp);
  }
  return end.aborted ? existing(await statuses.read(subscriptionId, row.id), row.id) : latest;
}

function existing(row: StatusRow | undefined, id: string): StatusRow {
  if (!row) throw new Problem('execution-not-found', `No execution ${id} was started through this subscription.`);
  return row;
}
