import type { LogEntry } from '@kethub/contract';
import type { CallOptions } from './connection.ts';
import { fetchFailure, KethubError, UnreachableError } from './errors.ts';
import { readEvents } from './events.ts';
import { pause } from './pause.ts';

export interface FollowOptions extends CallOptions {
  /** Position to resume after: the `id` of the last entry seen. */
  readonly lastEventId?: string | undefined;
}

export interface FollowedEntry {
  /** Resume position after this entry. */
  readonly id: string | undefined;
  readonly entry: LogEntry;
}

/** Connections in a row that bring nothing before following is given up. With the pauses between: about half a minute. */
const fruitlessLimit = 6;

/**
 * Follows a log to its end. A connection that breaks is taken up again after the last entry, so that no line is lost or
 * shown twice. Throws what the platform answers, or UnreachableError when it stays away.
 */
export async function* followLog(
  open: (request: { headers: Record<string, string>; signal: AbortSignal | undefined }) => Promise<Response>,
  options: FollowOptions = {},
): AsyncGenerator<FollowedEntry, void> {
  const { signal } = options;
  let position = options.lastEventId;
  let retry = 1_000;
  for (let fruitless = 0; ;) {
    let response: Response | undefined;
    let failure: unknown;
    try {
      const headers = { accept: 'text/event-stream', ...(position !== undefined && { 'last-event-id': position }) };
      response = await open({ headers, signal });
      for await (const { event, data, id, retry: wanted } of readEvents(eventBody(response))) {
        fruitless = 0;
        position = id ?? position;
        retry = wanted ?? retry;
        if (event === 'end') return;
        if (event === 'message') yield { id, entry: JSON.parse(data) as LogEntry };
      }
      failure = new UnreachableError(new URL(response.url).origin, 'the log broke off', undefined);
    } catch (error) {
      // A body that breaks off is a TypeError, like a connection that never came.
      failure = response && error instanceof TypeError ? fetchFailure(response.url, error, signal) : error;
    }
    fruitless += 1;
    if (signal?.aborted || !isTransient(failure) || fruitless >= fruitlessLimit) throw failure;
    await pause(Math.min(retry * 2 ** (fruitless - 1), 10_000), signal);
  }
}

function eventBody(response: Response): ReadableStream<Uint8Array> {
  const type = response.headers.get('content-type') ?? '';
  if (response.body && type.startsWith('text/event-stream')) return response.body;
  throw new KethubError({
    code: 'unexpected-answer',
    status: response.status,
    title: 'Unexpected answer',
    detail: `${response.url} answered with ${type || 'no Content-Type'} where text/event-stream was asked for.`,
  });
}

function isTransient(error: unknown): boolean {
  if (error instanceof KethubError) return error.status >= 500 || error.status === 429;
  return error instanceof UnreachableError;
}
