import { Readable } from 'node:stream';
import type { ChangeEvent } from '@kethub/contract';
import { FairSlots } from '@kethub/runtime/slots';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem, type Answer } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { ChangeFeed, Numbered } from './change-feed.ts';

const EVENT_STREAM = 'text/event-stream';
/** Milliseconds of silence after which a comment line keeps proxies from closing the stream. */
const KEEP_ALIVE_MS = 15_000;
/** Milliseconds after which a stream ends, so that the rights of its reader are checked again. */
const STREAM_MS = 300_000;
/** Milliseconds after which a client asks again. */
const RETRY_MS = 1_000;
const RETRY_SECONDS = 5;

/** Owners whose changes a reader sees. */
export type Owners = readonly Pick<Context, 'type' | 'id'>[];

/** Limits on open streams, for each person and in this process. */
export function createStreamSlots({ configuration }: Platform): FairSlots {
  const { logs, logsOfCaller } = configuration.readers;
  return new FairSlots(logs, logsOfCaller);
}

interface EventReader {
  readonly personId: string;
  readonly owners: Owners;
  readonly slots: FairSlots;
}

/**
 * Answers with the changes of the owners since Last-Event-ID. The answer is an array, or a stream that goes on if the
 * header Accept asks for one. Throws too-many-readers.
 */
export function answerEvents(
  feed: ChangeFeed,
  { personId, owners, slots }: EventReader,
  request: FastifyRequest,
  reply: FastifyReply,
): Answer {
  const from = request.headers['last-event-id'];
  const position = typeof from === 'string' ? feed.positionOf(from) : null;
  const leave = feed.enter();
  if (!request.headers.accept?.includes(EVENT_STREAM)) {
    leave();
    const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
    return { status: 200, headers, body: JSON.stringify(known(feed, position, owners)) };
  }
  const release = slots.take(personId);
  if (!release) {
    leave();
    throw new Problem('too-many-readers', 'You have as many event streams open as one person may have. Close one.', {
      headers: { 'retry-after': String(RETRY_SECONDS) },
    });
  }
  const gone = new AbortController();
  const stay = request.server.drain.whenClosing(() => gone.abort());
  const end = (): void => {
    stay();
    gone.abort();
    clearTimeout(limit);
    release();
    leave();
  };
  const limit = setTimeout(() => gone.abort(), STREAM_MS);
  reply.raw.once('close', end);
  if (reply.raw.destroyed) end();
  const headers = { 'content-type': EVENT_STREAM, 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
  const body = Readable.from(stream(feed, position, owners, gone.signal), { objectMode: false });
  return { status: 200, headers, body };
}

function known(feed: ChangeFeed, position: number | null, owners: Owners): ChangeEvent[] {
  if (position === null) return [{ id: feed.idOf(feed.last), event: 'reset' }];
  return visible(feed.after(position), owners).map((one) => presented(feed, one));
}

async function* stream(
  feed: ChangeFeed,
  from: number | null,
  owners: Owners,
  gone: AbortSignal,
): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n`;
  let position = from ?? feed.last;
  if (from === null) yield written({ id: feed.idOf(position), event: 'reset' });
  while (!gone.aborted) {
    const changes = feed.after(position);
    position = changes.at(-1)?.number ?? position;
    const text = visible(changes, owners)
      .map((one) => written(presented(feed, one)))
      .join('');
    if (text !== '') yield text;
    if (!(await moreWithin(feed, position, gone))) yield ': still here\n\n';
  }
}

/** Returns whether there are more changes before it is time for a sign of life. */
async function moreWithin(feed: ChangeFeed, position: number, gone: AbortSignal): Promise<boolean> {
  const wait = new AbortController();
  const stop = (): void => wait.abort();
  const timer = setTimeout(stop, KEEP_ALIVE_MS);
  gone.addEventListener('abort', stop);
  try {
    if (!gone.aborted) await feed.more(position, wait.signal);
  } finally {
    clearTimeout(timer);
    gone.removeEventListener('abort', stop);
  }
  return feed.last > position || gone.aborted;
}

function visible(changes: readonly Numbered[], owners: Owners): Numbered[] {
  return changes.filter(
    ({ owner }) => owner === null || owners.some(({ type, id }) => type === owner.type && id === owner.id),
  );
}

function presented(feed: ChangeFeed, { number, event, owner, of }: Numbered): ChangeEvent {
  const organization = owner?.type === 'ORGANIZATION' ? { organizationId: owner.id } : {};
  return { id: feed.idOf(number), event, ...organization, ...of };
}

function written({ id, event, ...data }: ChangeEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
