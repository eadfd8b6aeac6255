import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Requests that browsers have made to a platform of this process, seen by its server. */
export interface Traffic {
  /** Method and path of each request without its query, oldest first. A test may empty it. */
  readonly requests: string[];
  /** Those of them that wait for their answer, or read it. */
  readonly inFlight: readonly string[];
  close(): void;
}

/** Every browser of the tests names Mozilla in its requests; programs do not. */
const BROWSER = /Mozilla/;

export function watchTraffic(origin: string): Traffic {
  const { host } = new URL(origin);
  const open = new Set<{ readonly name: string }>();
  const requests: string[] = [];
  const onRequest = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.headers.host !== host || !BROWSER.test(request.headers['user-agent'] ?? '')) return;
    const name = `${request.method} ${request.url?.split('?')[0] ?? ''}`;
    requests.push(name);
    const one = { name };
    open.add(one);
    response.once('close', () => open.delete(one));
  };
  subscribe('http.server.request.start', onRequest);
  return {
    requests,
    get inFlight() {
      return [...open].map(({ name }) => name);
    },
    close: () => void unsubscribe('http.server.request.start', onRequest),
  };
}
