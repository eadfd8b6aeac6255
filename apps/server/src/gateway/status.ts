import { isFinal, type ServiceExecution } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { presentStatus, type ExecutionWatch, type statusReader, type StatusRow } from '../executions/index.ts';
import { etag, isFresh, preferredWait, Problem, type Answer } from '../http/index.ts';
import type { Subscriber } from './admission.ts';

export type StatusReader = ReturnType<typeof statusReader>;

/** `GET /{id}`: the status object; `Prefer: wait=N` waits for it to change. */
export async function readStatus(
  watch: ExecutionWatch,
  read: StatusReader,
  caller: Subscriber,
  id: string,
  request: FastifyRequest,
): Promise<Answer> {
  let row = await requireRow(read, caller.subscriptionId, id);
  const seconds = preferredWait(request.headers.prefer);
  if (seconds > 0) {
    const first = row.status;
    row = await waitWhile(
      watch,
      read,
      caller.subscriptionId,
      row,
      seconds,
      request,
      (now) => now.status === first && !isFinal(now.status),
    );
  }
  const tag = etag(row.status);
  if (isFresh(request, tag)) return { status: 304, headers: { etag: tag } };
  const headers = seconds > 0 ? { etag: tag, 'preference-applied': `wait=${seconds}` } : { etag: tag };
  return { status: 200, body: presentStatus(row), headers };
}

/** The status object once the execution has ended, or as it is after `seconds`. */
export async function waitForEnd(
  watch: ExecutionWatch,
  read: StatusReader,
  subscriptionId: string,
  id: string,
  seconds: number,
  request: FastifyRequest,
): Promise<ServiceExecution> {
  const row = await requireRow(read, subscriptionId, id);
  return presentStatus(
    await waitWhile(watch, read, subscriptionId, row, seconds, request, ({ status }) => !isFinal(status)),
  );
}

async function waitWhile(
  watch: ExecutionWatch,
  read: StatusReader,
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
      latest = await requireRow(read, subscriptionId, row.id);
      if (!unchanged(latest)) break;
      await changed;
    }
  } finally {
    // The connection serves many requests and would collect a listener from each.
    socket.off('close', hangUp);
  }
  return end.aborted ? requireRow(read, subscriptionId, row.id) : latest;
}

async function requireRow(read: StatusReader, subscriptionId: string, id: string): Promise<StatusRow> {
  const row = await read(subscriptionId, id);
  if (!row) throw new Problem('execution-not-found', `No execution ${id} was started through this subscription.`);
  return row;
}
