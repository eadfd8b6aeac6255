import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface StandInAnswer {
  readonly status: number;
  readonly body?: unknown;
}

export interface StandIn {
  readonly url: string;
  /** `METHOD path` of every request, in order. */
  readonly requests: readonly string[];
  /** The body of each of them. */
  readonly bodies: readonly string[];
}

/**
 * A stand-in for a platform. It answers as the test says, by `METHOD path`, and tests only what ket makes of an answer.
 * test/ket.test.ts checks with a real platform that it answers so.
 */
export async function standInPlatform(
  answers: Readonly<Record<string, StandInAnswer | ((url: string) => StandInAnswer)>>,
): Promise<StandIn> {
  const requests: string[] = [];
  const bodies: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const name = `${request.method} ${request.url}`;
    requests.push(name);
    const origin = `http://${request.headers.host}`;
    const answer = answers[name] ?? problem(404, 'not-found');
    const { status, body } = typeof answer === 'function' ? answer(origin) : answer;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      bodies.push(Buffer.concat(chunks).toString());
      response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'request-1' });
      response.end(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, bodies };
}

export function problem(status: number, code: string, extra: object = {}): StandInAnswer {
  return {
    status,
    body: { type: `http://stand-in/problems/${code}`, title: code, status, detail: `about ${code}`, ...extra },
  };
}

export const executionId = '019a7c3e-5b0d-7c4e-9a51-0f6d2b8f4c11';

/** The answers that ket needs about one execution that was not started from here. */
export function executionAnswers(status: string, result: string) {
  const path = `/api/service-executions/${executionId}`;
  const execution = { id: executionId, status, createdAt: '2026-01-01 00:00:00', endedAt: '2026-01-01 00:00:03' };
  return {
    [`GET ${path}`]: { status: 200, body: execution },
    [`GET ${path}/result`]: { status: 200, body: result },
    [`PUT ${path}/cancel`]: { status: 200, body: execution },
  };
}
