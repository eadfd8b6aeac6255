import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { chunksOf, logHeaders, logMedia, Problem, resumePosition, wantedLogMedia } from '@kethub/service-api';
import type { LocalAnswer } from './answers.ts';
import type { LocalExecution, LocalExecutions } from './executions.ts';

/** Milliseconds of silence after which a comment line is sent. */
const KEEP_ALIVE_MS = 15_000;

/** Answers with the log in the form that Accept asks for: JSON, text, or live events. Throws not-acceptable. */
export function answerLog(
  executions: LocalExecutions,
  execution: LocalExecution,
  request: IncomingMessage,
): LocalAnswer {
  const media = wantedLogMedia(request.headers.accept);
  if (media === null) throw new Problem('not-acceptable', `A log can be had as ${logMedia.join(', ')}.`);
  const gone = new AbortController();
  request.socket.once('close', () => {
    gone.abort();
  });
  const log = { executions, execution };
  const parts = {
    'text/event-stream': () => events(log, resumePosition(request.headers['last-event-id']), gone.signal),
    'text/plain': () => plain(log),
    'application/json': () => array(log),
  }[media]();
  return { status: 200, headers: logHeaders[media], body: Readable.from(parts, { objectMode: false }) };
}

interface LocalLog {
  readonly executions: LocalExecutions;
  readonly execution: LocalExecution;
}

async function* pieces(
  { executions, execution }: LocalLog,
  from: number,
): AsyncGenerator<{ bytes: Buffer; from: number }> {
  for (let at = from; ;) {
    const { bytes, nextByte } = await executions.readLog(execution.id, at);
    if (bytes.length === 0) return;
    yield { bytes, from: at };
    at = nextByte;
  }
}

async function* plain(log: LocalLog): AsyncGenerator<Buffer> {
  for await (const { bytes, from } of pieces(log, 0))
    for (const chunk of chunksOf(bytes, from, 'plain')) yield chunk.bytes;
}

async function* array(log: LocalLog): AsyncGenerator<Buffer | string> {
  let isFirst = true;
  for await (const { bytes, from } of pieces(log, 0))
    for (const chunk of chunksOf(bytes, from, 'array')) {
      // Each entry begins with a comma. The bracket replaces the comma of the first entry.
      if (isFirst) yield '[';
      yield isFirst ? chunk.bytes.subarray(1) : chunk.bytes;
      isFirst = false;
    }
  yield isFirst ? '[]' : ']';
}

async function* events(log: LocalLog, from: number, gone: AbortSignal): AsyncGenerator<Buffer | string> {
  const { executions, execution } = log;
  let position = from;
  yield ': following\n\n';
  while (!gone.aborted) {
    // Listening and asking come before reading, so that no line in between is missed.
    const change = new AbortController();
    const either = AbortSignal.any([gone, change.signal, AbortSignal.timeout(KEEP_ALIVE_MS)]);
    const changed = once(executions.changes, `log ${execution.id}`, { signal: either }).catch(() => undefined);
    const complete = executions.isLogComplete(execution);
    let grown = false;
    for await (const { bytes, from: at } of pieces(log, position))
      for (const chunk of chunksOf(bytes, at, 'events')) {
        yield chunk.bytes;
        position = chunk.nextByte;
        grown = true;
      }
    if (complete) {
      change.abort();
      yield `event: end\nid: ${position}\ndata: {}\n\n`;
      return;
    }
    if (grown) change.abort();
    else {
      await changed;
      if (!gone.aborted) yield ': still running\n\n';
    }
  }
}
