import { Readable } from 'node:stream';
import { LogEntry } from '@kethub/contract';
import { logHeaders, logMedia, resumePosition, wantedLogMedia } from '@kethub/service-api';
import { Type } from 'typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem, type Answer } from '../http/index.ts';
import type { Platform } from '../platform.ts';
import { readersOf } from './readers.ts';
import type { SharedLog } from './shared-log.ts';
import type { LogSource } from './source.ts';

/** The answer of an endpoint that serves a log. */
export const logContent = { media: logMedia, json: Type.Array(LogEntry) };

/** Problems of reading a log, in addition to those of finding it. */
export const logProblems = ['not-acceptable', 'too-many-readers', 'readers-busy'] as const;

/** Milliseconds of silence after which a comment line keeps proxies from closing the stream. */
const KEEP_ALIVE_MS = 15_000;

/** A log and its reader. */
export interface LogRequest {
  /** Unique name of the log among executions and builds. */
  readonly key: string;
  readonly source: LogSource;
  /** Id of the person or application that reads. */
  readonly caller: string;
}

/**
 * Answers with a log in the format of the header Accept: an array of entries (JSON, the default), plain lines
 * (text/plain), or live events (text/event-stream). The `id` of an event is the position to resume from with
 * Last-Event-ID, and `event: end` is the last event. Throws not-acceptable, too-many-readers or readers-busy.
 */
export function answerLog(
  platform: Platform,
  { key, source, caller }: LogRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Answer {
  const media = wantedLogMedia(request.headers.accept);
  if (media === null) throw new Problem('not-acceptable', `A log can be had as ${logMedia.join(', ')}.`);
  const { log, gone } = openLog(platform, { key, source, caller }, reply);
  const parts = {
    'text/event-stream': () => events(log, resumePosition(request.headers['last-event-id']), gone),
    'text/plain': () => chunks(log, 'plain'),
    'application/json': () => array(log),
  }[media]();
  return { status: 200, headers: logHeaders[media], body: Readable.from(parts, { objectMode: false }) };
}

/** Answers with the lines of a log as a file. Throws too-many-readers or readers-busy. */
export function answerLogFile(platform: Platform, request: LogRequest, name: string, reply: FastifyReply): Answer {
  const { log } = openLog(platform, request, reply);
  const headers = { ...logHeaders['text/plain'], 'content-disposition': `attachment; filename="${name}"` };
  return { status: 200, headers, body: Readable.from(chunks(log, 'plain'), { objectMode: false }) };
}

function openLog(
  platform: Platform,
  { key, source, caller }: LogRequest,
  reply: FastifyReply,
): { readonly log: SharedLog; readonly gone: AbortSignal } {
  const { log, close } = readersOf(platform).open(key, caller, source);
  const gone = new AbortController();
  const stay = reply.server.drain.whenClosing(() => gone.abort());
  const end = (): void => {
    stay();
    gone.abort();
    close();
  };
  // A client that has disconnected before this line causes no 'close' any more.
  reply.raw.once('close', end);
  if (reply.raw.destroyed) end();
  return { log, gone: gone.signal };
}

/** The lines that exist now, in chunks. */
async function* chunks(log: SharedLog, format: 'plain' | 'array'): AsyncGenerator<Buffer> {
  for (let chunk = await log.chunk(format, 0); chunk !== null; chunk = await log.chunk(format, chunk.nextByte)) {
    yield chunk.bytes;
  }
}

async function* array(log: SharedLog): AsyncGenerator<Buffer | string> {
  let isFirst = true;
  for await (const bytes of chunks(log, 'array')) {
    // Each entry begins with a comma. The bracket replaces the comma of the first entry.
    if (isFirst) yield '[';
    yield isFirst ? bytes.subarray(1) : bytes;
    isFirst = false;
  }
  yield isFirst ? '[]' : ']';
}

async function* events(log: SharedLog, from: number, gone: AbortSignal): AsyncGenerator<Buffer | string> {
  let position = from;
  let spoken = performance.now();
  yield ': following\n\n';
  while (!gone.aborted) {
    const { version } = log;
    // Asked before reading, so that lines added before completion are certainly read below.
    const complete = await log.isComplete();
    for (let chunk = await log.chunk('events', position); chunk !== null; chunk = await log.chunk('events', position)) {
      yield chunk.bytes;
      position = chunk.nextByte;
      spoken = performance.now();
    }
    if (complete) {
      yield `event: end\nid: ${position}\ndata: {}\n\n`;
      return;
    }
    if (performance.now() - spoken > KEEP_ALIVE_MS) {
      yield ': still running\n\n';
      spoken = performance.now();
    }
    await log.changed(version, gone);
  }
}
