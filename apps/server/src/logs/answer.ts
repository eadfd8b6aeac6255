import { Readable } from 'node:stream';
import { LogEntry } from '@kethub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem, type Answer } from '../http/index.ts';
import type { LogSource } from './source.ts';

/** Media types in which a log is served. */
export const logMedia = ['application/json', 'text/plain', 'text/event-stream'] as const;

const NEWLINE = 10;
/** A comment line keeps proxies from closing a stream on which nothing happens. */
const KEEP_ALIVE_MS = 15_000;

/**
 * A log as the header Accept asks for: an array of entries (JSON, the default), bare lines (text/plain), or live
 * (text/event-stream), where `id` is the position to resume from with Last-Event-ID and `event: end` is the last event.
 */
export function answerLog(source: LogSource, request: FastifyRequest, reply: FastifyReply): Answer {
  switch (wanted(request.headers.accept)) {
    case 'text/event-stream': {
      const gone = new AbortController();
      reply.raw.on('close', () => gone.abort());
      const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
      const from = resumePosition(request.headers['last-event-id']);
      return { status: 200, headers, body: Readable.from(events(source, from, gone.signal), { objectMode: false }) };
    }
    case 'text/plain': {
      const headers = { 'content-type': 'text/plain; charset=utf-8' };
      return { status: 200, headers, body: Readable.from(plain(source), { objectMode: false }) };
    }
    case 'application/json': {
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      return { status: 200, headers, body: Readable.from(array(source), { objectMode: false }) };
    }
    default:
      throw new Problem('not-acceptable', `A log can be had as ${logMedia.join(', ')}.`);
  }
}

function wanted(accept: string | undefined): (typeof logMedia)[number] | null {
  const types = (accept ?? '*/*').split(',').map((one) => one.split(';')[0]?.trim().toLowerCase() ?? '');
  for (const type of types) {
    if (type === '*/*' || type === 'application/*' || type === '') return 'application/json';
    if (type === 'text/*') return 'text/plain';
    const exact = logMedia.find((media) => media === type);
    if (exact) return exact;
  }
  return null;
}

function resumePosition(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : 0;
}

async function* array(source: LogSource): AsyncGenerator<string> {
  let separator = '[';
  for await (const line of lines(source)) {
    yield separator + line.text;
    separator = ',\n';
  }
  yield separator === '[' ? '[]' : ']';
}

async function* plain(source: LogSource): AsyncGenerator<string> {
  for await (const line of lines(source)) yield `${entryOf(line.text).message}\n`;
}

function entryOf(text: string): LogEntry {
  return JSON.parse(text) as LogEntry;
}

/** What is there now, line by line. */
async function* lines(source: LogSource, from = 0): AsyncGenerator<{ text: string; nextByte: number }> {
  let position = from;
  for (;;) {
    const { bytes, nextByte } = await source.read(position);
    if (bytes.length === 0) return;
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      yield { text: bytes.toString('utf8', start, end), nextByte: position + end + 1 };
      start = end + 1;
    }
    position = nextByte;
  }
}

async function* events(source: LogSource, from: number, gone: AbortSignal): AsyncGenerator<string> {
  let position = from;
  let spoken = performance.now();
  yield ': following\n\n';
  while (!gone.aborted) {
    // Asked before reading: what was added before it became complete is then certainly read below.
    const complete = await source.isComplete();
    for await (const line of lines(source, position)) {
      yield `id: ${line.nextByte}\ndata: ${line.text}\n\n`;
      position = line.nextByte;
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
    await source.changed(gone);
  }
}
