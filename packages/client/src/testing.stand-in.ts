import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export interface StandIn {
  readonly url: string;
  readonly requests: readonly IncomingMessage[];
}

/** A stand-in for a platform that answers the first request with the first answer, and so on; then with the last. */
export async function standIn(...answers: readonly Answer[]): Promise<StandIn> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    (answers[requests.length - 1] ?? answers.at(-1))?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

export const json =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Breaks the connection without an answer. */
export const breakOff: Answer = (response) => void response.destroy();

export const problem = (status: number, code: string): Answer =>
  json({ type: `http://stand-in/problems/${code}`, title: code, status, detail: code }, status);
