import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Problem } from '../http/index.ts';
import type { Platform } from '../platform.ts';
import { createConnections, Refused } from './connections.ts';
import { createDestinations, type TargetColumns } from './target.ts';

export interface TargetCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below the service's own address, with a slash at its beginning; empty for itself. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TargetAnswer {
  readonly status: number;
  readonly text: string;
}

/** Calls services that run elsewhere for the platform itself: for tasks of workflows, which have no caller to forward. */
export interface TargetClient {
  /** Throws upstream-unreachable, upstream-timeout, upstream-failed; too-large for an answer of more than `mostBytes`. */
  call(target: TargetColumns, call: TargetCall, mostBytes: number): Promise<TargetAnswer>;
  close(): void;
}

export function createTargetClient(platform: Platform): TargetClient {
  const connections = createConnections(platform.configuration.onPremise);
  const destinationOf = createDestinations(platform);
  return {
    async call(columns, { method, path, body, headers = {} }, mostBytes) {
      const target = destinationOf(columns);
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), target.timeoutMs);
      const { signal } = deadline;
      try {
        const request = connections.request(target, {
          method,
          path: path === '' ? target.rootPath : target.basePath + path,
          signal,
          headers: {
            host: target.host,
            accept: 'application/json',
            ...(target.authorization !== null && { authorization: target.authorization }),
            ...(body !== undefined && {
              'content-type': 'application/json',
              'content-length': String(Buffer.byteLength(body)),
            }),
            ...headers,
          },
        });
        request.end(body);
        const [response] = (await once(request, 'response', { signal })) as [IncomingMessage];
        return { status: response.statusCode ?? 502, text: await readAll(response, mostBytes) };
      } catch (error) {
        throw problemOf(error, signal.aborted);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => connections.close(),
  };
}

async function readAll(response: IncomingMessage, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) {
      response.destroy();
      throw new Problem('too-large', `The provider's service answered with more than ${mostBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function problemOf(cause: unknown, late: boolean): Problem {
  if (cause instanceof Problem) return cause;
  if (cause instanceof Refused)
    return new Problem(
      'upstream-unreachable',
      "The provider's service runs where this installation does not connect to.",
      { cause },
    );
  if (late)
    return new Problem('upstream-timeout', "The provider's service did not answer within the time that it has set.", {
      cause,
    });
  return new Problem('upstream-unreachable', "The provider's service cannot be reached, or broke the connection.", {
    cause,
  });
}
