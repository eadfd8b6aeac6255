import { request, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { messageOf } from '../errors.ts';

/** The engine refused a request. The message is the engine's. */
export class EngineRefusal extends Error {
  override readonly name = 'EngineRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The engine cannot be reached, or the connection was lost before it had answered. */
export class EngineUnavailable extends Error {
  override readonly name = 'EngineUnavailable';
}

export interface Call {
  query?: Readonly<Record<string, string | number | boolean>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as a tar archive. */
  archive?: Readable;
  signal?: AbortSignal | undefined;
}

type Method = 'GET' | 'HEAD' | 'POST' | 'DELETE';

/**
 * Milliseconds for a request that the engine answers at once; beyond them it counts as unavailable. The engine of a
 * busy machine takes seconds to create a container.
 */
const ANSWER_MS = 120_000;
/** Bytes of an answer that is read as a whole. A longer answer is an error. */
const ANSWER_BYTES = 16 * 1024 * 1024;

/** A container engine behind a unix socket. It speaks the API of Docker, as Podman does. */
export class Engine {
  readonly socketPath: string;

  constructor(socketPath: string) {
    this.socketPath = socketPath;
  }

  /**
   * Sends a request and returns the JSON of its answer; null for an empty answer.
   * @throws EngineRefusal, EngineUnavailable
   */
  async ask(method: Method, path: string, call: Call = {}): Promise<unknown> {
    const limit = AbortSignal.timeout(ANSWER_MS);
    const signal = call.signal ? AbortSignal.any([call.signal, limit]) : limit;
    const text = await textOf(await this.open(method, path, { ...call, signal }));
    return text.trim() === '' ? null : parse(text);
  }

  /** Like {@link ask}, but accepts that the object is gone or has the wanted state already (404, 304, 409). */
  async settle(method: Method, path: string, call: Call = {}): Promise<void> {
    try {
      await this.ask(method, path, call);
    } catch (error) {
      if (!(error instanceof EngineRefusal) || ![304, 404, 409].includes(error.status)) throw error;
    }
  }

  /**
   * Opens an answer that is read as it comes, without a time limit.
   * @throws EngineRefusal, EngineUnavailable
   */
  async open(method: Method, path: string, { query, body, archive, signal }: Call = {}): Promise<IncomingMessage> {
    const json = body === undefined ? null : JSON.stringify(body);
    const outgoing = request({
      ...this.#target(method, path, query),
      ...(signal && { signal }),
      headers: {
        ...(json !== null && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }),
        ...(archive && { 'content-type': 'application/x-tar' }),
      },
    });
    const answered = answerOf(outgoing);
    // The engine may answer and close the connection before it has read the whole archive.
    if (archive) archive.on('error', (error) => outgoing.destroy(error)).pipe(outgoing);
    else outgoing.end(json ?? undefined);
    const answer = await answered;
    if ((answer.statusCode ?? 0) < 400) return answer;
    throw new EngineRefusal(answer.statusCode ?? 0, wordsOf(await textOf(answer)));
  }

  /**
   * Opens the standard input of a container. Ending the stream ends that input.
   * @throws EngineRefusal, EngineUnavailable
   */
  async attachInput(container: string): Promise<Duplex> {
    const query = { stream: true, stdin: true };
    const outgoing = request({
      ...this.#target('POST', `/containers/${container}/attach`, query),
      headers: { connection: 'Upgrade', upgrade: 'tcp' },
    });
    const upgraded = new Promise<Duplex>((resolve) => {
      outgoing.once('upgrade', (_answer, socket: Duplex) => {
        resolve(socket);
      });
    });
    const refused = answerOf(outgoing).then(async (answer): Promise<never> => {
      throw new EngineRefusal(answer.statusCode ?? 0, wordsOf(await textOf(answer)));
    });
    outgoing.end();
    return Promise.race([upgraded, refused]);
  }

  #target(method: Method, path: string, query: Call['query'] = {}): RequestOptions {
    const search = new URLSearchParams(query as Record<string, string>).toString();
    // A connection of its own, as some stay open for hours.
    return { socketPath: this.socketPath, method, path: search === '' ? path : `${path}?${search}`, agent: false };
  }
}

async function answerOf(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', (error) => {
      reject(new EngineUnavailable(error.message, { cause: error }));
    });
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  return (await bytesOf(answer, ANSWER_BYTES)).toString('utf8');
}

/** Reads an answer as a whole. @throws EngineUnavailable when it is longer, or cut off. */
export async function bytesOf(answer: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw new Error(`an answer of more than ${mostBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw new EngineUnavailable(messageOf(error), { cause: error });
  }
  return Buffer.concat(chunks);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new EngineUnavailable(`an answer that is not JSON: ${text.slice(0, 200)}`, { cause: error });
  }
}

/** Reads the message of an error: `{"message": ...}`. */
function wordsOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // Some errors are plain text.
  }
  return text.trim().slice(0, 1_000) || 'it gave no reason';
}
