import { answerError, fetchFailure, KethubError, UnreachableError } from './errors.ts';

/** The address of requests, and the headers that authenticate them. */
export interface Connection {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  /** Headers that authenticate. `renew` asks for new ones because the platform refused the last. */
  readonly authenticate: (renew: boolean, signal: AbortSignal | undefined) => Promise<Record<string, string>>;
  /** True if a 401 is worth one more try with renewed headers. */
  readonly renewable: boolean;
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Starts with a slash; build it with `path` so that its parts are escaped. */
  readonly path: string;
  readonly json?: unknown;
  /** A JSON text, sent as it stands. */
  readonly jsonText?: string;
  /** A stream is sent once: not for a connection that renews its headers. */
  readonly body?: Blob | FormData | URLSearchParams | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Address without slashes at its end. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/** Template tag: a path whose parts are escaped. A part that would change the path (``, `.`, `..`) is refused. */
export function path(texts: TemplateStringsArray, ...parts: readonly string[]): string {
  return texts.reduce((joined, text, index) => {
    const part = parts[index - 1] ?? '';
    if (part === '' || part === '.' || part === '..') throw new TypeError(`${JSON.stringify(part)} is no id or name`);
    return joined + encodeURIComponent(part) + text;
  });
}

/** The part of an address from its question mark on; empty when nothing is asked for. */
export function query(asked: object): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? '' : `?${given.toString()}`;
}

/**
 * Sends a request and returns a successful answer (or 304), body unread. Throws KethubError for any other answer and
 * UnreachableError when none comes. Redirects are not followed: `fetch` would carry `X-Auth-Token` to another host.
 */
export async function send(connection: Connection, call: Call): Promise<Response> {
  const { method = 'GET', signal } = call;
  const url = connection.baseUrl + call.path;
  const jsonText = call.json === undefined ? call.jsonText : JSON.stringify(call.json);
  for (let renew = false; ; renew = true) {
    const headers = {
      accept: 'application/json',
      ...(jsonText !== undefined && { 'content-type': 'application/json' }),
      ...(call.body instanceof Blob && call.body.type === '' && { 'content-type': 'application/octet-stream' }),
      ...call.headers,
      ...(await connection.authenticate(renew, signal)),
    };
    const body = jsonText ?? call.body;
    const response = await attempt(connection.fetch, url, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
      ...(body instanceof ReadableStream && { duplex: 'half' as const }),
      ...(signal && { signal }),
    });
    if (response.ok || response.status === 304) return response;
    const error = await readBody(response, signal, () => answerError(method, url, response));
    if (response.status !== 401 || !connection.renewable || renew) throw error;
  }
}

/** `fetch` whose failure says what it means. */
export async function attempt(fetchIt: typeof fetch, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetchIt(url, init);
  } catch (error) {
    throw fetchFailure(url, error, init.signal ?? undefined);
  }
}

/** Discards the body of an answer. */
export async function readNothing(response: Response, signal: AbortSignal | undefined): Promise<void> {
  await readBody(response, signal, () => response.body?.cancel());
}

const texts = new WeakMap<object, string>();

/** The JSON text from which the client parsed this answer. JSON.parse rounds long numbers and sorts keys such as "000". */
export function jsonTextOf(answer: object): string | undefined {
  return texts.get(answer);
}

export async function readJson<T>(response: Response, signal: AbortSignal | undefined): Promise<T> {
  const text = await readBody(response, signal, () => response.text());
  try {
    // The platform validates its answers against the schemas of the contract. The client does not check them again.
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) texts.set(value, text);
    return value as T;
  } catch {
    throw new KethubError({
      code: 'unexpected-answer',
      status: response.status,
      title: 'Unexpected answer',
      detail: `${response.url} answered with something that is not JSON. Is this the address of the platform?`,
    });
  }
}

/** Reads a body. A connection that breaks meanwhile is an UnreachableError, as if no answer had come. */
export async function readBody<T>(
  response: Response,
  signal: AbortSignal | undefined,
  reader: () => T | Promise<T>,
): Promise<T> {
  try {
    return await reader();
  } catch (error) {
    if (error instanceof KethubError || error instanceof UnreachableError) throw error;
    throw fetchFailure(response.url, error, signal);
  }
}
