import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Requests that browsers have made to a platform of this process, seen by its server. */
export interface Traffic {
  /** Method and path of each request without its query, oldest first. A test may empty it. */
  readonly requests: string[];
  /** Requests among them that wait for their answer, or read it. */
  readonly inFlight: readonly string[];
  /**
   * Loses connections as a network does. REQUESTS: those in flight and every new one. ANSWERS: new ones of requests that
   * change something, once the platform has answered. NOTHING: no further one.
   */
  lose(what: 'REQUESTS' | 'ANSWERS' | 'NOTHING'): void;
  close(): void;
}

/** Every browser of the tests names Mozilla in its requests; programs do not. */
const BROWSER = /Mozilla/;

export function watchTraffic(origin: string): Traffic {
  const { host } = new URL(origin);
  const open = new Set<{ readonly name: string; readonly request: IncomingMessage }>();
  let lost: Parameters<Traffic['lose']>[0] = 'NOTHING';
  const requests: string[] = [];
  const onRequest = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.headers.host !== host || !BROWSER.test(request.headers['user-agent'] ?? '')) return;
    const name = `${request.method} ${request.url?.split('?')[0] ?? ''}`;
    requests.push(name);
    const cut = () => request.socket.destroy();
    if (lost === 'REQUESTS') cut();
    if (lost === 'ANSWERS' && request.method !== 'GET') Object.assign(response, { write: cut, end: cut });
    const one = { name, request };
    open.add(one);
    response.once('close', () => open.delete(one));
  };
  subscribe('http.server.request.start', onRequest);
  return {
    requests,
    get inFlight() {
      return [...open].map(({ name }) => name);
    },
    lose(what) {
      lost = what;
      if (what === 'REQUESTS') for (const { request } of open) request.socket.destroy();
    },
    close: () => void unsubscribe('http.server.request.start', onRequest),
  };
}

const NOT_OF_DATA = ['/callback', '/api/events'];

/**
 * Requests that the first data waits for. A redirect belongs to the request before it. The event stream stays open and
 * brings none of this data.
 */
export function awaited(requests: readonly string[]): string[] {
  return requests.filter((one) => !NOT_OF_DATA.includes(one.replace(/^GET /, '')));
}
