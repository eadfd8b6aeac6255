import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { boundedText } from '../bounded-text.ts';
import { messageOf } from '../errors.ts';
import type { KubernetesSettings } from './settings.ts';

/** Milliseconds for an answer of the API server. Beyond them it counts as away. */
const ANSWER_MS = 30_000;
/** Bytes of an answer, and of one line of a watch. A longer one is an error. */
const ANSWER_BYTES = 64 * 1024 * 1024;
/** Characters of a message of the cluster that are shown, half of them from its end. */
const WORDS = 500;

/** The API server refused a request. `reason` is its word for it, such as `AlreadyExists`. */
export class ClusterRefusal extends Error {
  override readonly name = 'ClusterRefusal';
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** The API server cannot be reached, is busy, or does not accept our credentials at the moment. */
export class ClusterAway extends Error {
  override readonly name = 'ClusterAway';
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

interface Call {
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** The API of a cluster, in one namespace. */
export class ClusterApi {
  readonly settings: KubernetesSettings;
  readonly #agent: https.Agent;

  constructor(settings: KubernetesSettings) {
    this.settings = settings;
    this.#agent = new https.Agent({ keepAlive: true, maxSockets: 256, timeout: 0 });
  }

  /**
   * Sends a request about an object of our namespace, such as `pods/x`, and returns the object of the answer.
   * @throws ClusterRefusal, ClusterAway
   */
  async ask<T>(method: Method, path: string, call: Call = {}): Promise<T> {
    const limit = AbortSignal.timeout(ANSWER_MS);
    const signal = call.signal ? AbortSignal.any([call.signal, limit]) : limit;
    const answer = await this.open(method, path, { ...call, signal });
    try {
      return JSON.parse(await boundedText(answer, ANSWER_BYTES)) as T;
    } catch (error) {
      throw new ClusterAway(`The answer of the cluster was cut off: ${messageOf(error)}`);
    }
  }

  /** Deletes an object. One that is gone already is fine, and so is another one with its name. */
  async remove(
    path: string,
    options: { gracePeriodSeconds?: number; preconditions?: { uid: string } } = {},
  ): Promise<void> {
    try {
      await this.ask('DELETE', path, { body: { kind: 'DeleteOptions', propagationPolicy: 'Background', ...options } });
    } catch (error) {
      const isOther = options.preconditions !== undefined && error instanceof ClusterRefusal && error.status === 409;
      if (!isOther && (!(error instanceof ClusterRefusal) || error.status !== 404)) throw error;
    }
  }

  /** Returns null when there is no such object. */
  async find<T>(path: string): Promise<T | null> {
    try {
      return await this.ask<T>('GET', path);
    } catch (error) {
      if (error instanceof ClusterRefusal && error.status === 404) return null;
      throw error;
    }
  }

  /**
   * Opens an answer that is read as it comes, without a time limit.
   * @throws ClusterRefusal, ClusterAway
   */
  async open(method: Method, path: string, { query = {}, body, signal }: Call = {}): Promise<IncomingMessage> {
    const search = new URLSearchParams(query as Record<string, string>).toString();
    const url = new URL(`${prefixOf(path)}/namespaces/${this.settings.namespace}/${path}`, this.settings.server);
    url.search = search;
    const json = body === undefined ? null : JSON.stringify(body);
    let answer: IncomingMessage;
    try {
      answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const outgoing = https.request(url, {
          method,
          agent: this.#agent,
          ca: readFileSync(this.settings.caFile),
          ...(signal && { signal }),
          headers: {
            authorization: `Bearer ${readFileSync(this.settings.tokenFile, 'utf8').trim()}`,
            accept: 'application/json',
            ...(json !== null && {
              'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
              'content-length': Buffer.byteLength(json),
            }),
          },
        });
        outgoing
          .once('response', resolve)
          .once('error', reject)
          .end(json ?? undefined);
      });
    } catch (error) {
      throw new ClusterAway(`The API server ${this.settings.server} is not reached: ${messageOf(error)}`);
    }
    if ((answer.statusCode ?? 0) < 400) return answer;
    throw refusalOf(answer.statusCode ?? 0, await boundedText(answer, ANSWER_BYTES).catch(() => ''));
  }

  close(): void {
    this.#agent.destroy();
  }
}

function prefixOf(path: string): string {
  if (path.startsWith('jobs')) return '/apis/batch/v1';
  return path.startsWith('networkpolicies') ? '/apis/networking.k8s.io/v1' : '/api/v1';
}

function refusalOf(status: number, text: string): Error {
  let reason = '';
  let message = text;
  try {
    const said = JSON.parse(text) as { reason?: string; message?: string };
    reason = said.reason ?? '';
    message = said.message ?? text;
  } catch {
    // A proxy in between answers in its own words.
  }
  const words = shortened(message);
  if (status === 401)
    return new ClusterAway(
      'The cluster does not accept our credentials: the token of the service account has expired, or is of another cluster.',
    );
  if (status === 429 || status >= 500) return new ClusterAway(`The API server is busy or away (${status}): ${words}`);
  return new ClusterRefusal(status, reason, words);
}

/** A message of the cluster, in one line and bounded. The cause stands at its end, so a long one loses its middle. */
export function shortened(message: string): string {
  const words = message.replaceAll(/\s+/g, ' ').trim();
  return words.length <= WORDS ? words : `${words.slice(0, WORDS / 2)} … ${words.slice(-WORDS / 2)}`;
}

/**
 * The lines of an answer that is read as it comes. Without `takesRest`, a last line without its end is left out: more of it
 * may follow in the next answer.
 * @throws when the connection is lost, or a line is too long.
 */
export async function* linesOf(
  answer: IncomingMessage,
  mostBytes = ANSWER_BYTES,
  takesRest = true,
): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]);
      [parts, bytes, from] = [[], 0, end + 1];
    }
    bytes += chunk.length - from;
    if (bytes > mostBytes) throw new Error(`a line of the cluster has more than ${mostBytes} bytes`);
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  if (takesRest && parts.length > 0) yield Buffer.concat(parts);
}
