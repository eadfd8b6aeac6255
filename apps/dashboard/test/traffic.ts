import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Requests and connections that browsers have made to a platform of this process, seen by its server. */
export interface Traffic {
  /** Method and path of each request without its query, oldest first. A test may empty it. */
  readonly requests: string[];
  /** Connections that are open. */
  readonly open: number;
  /** The most connections that were open at the same time since it was last set. */
  most: number;
  close(): void;
}

/** Every browser of the tests names Mozilla in its requests; programs do not. */
const BROWSER = /Mozilla/;

export function watchTraffic(origin: string): Traffic {
  const { host } = new URL(origin);
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const onRequest = (message: unknown): void => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket };
    if (request.headers.host !== host || !BROWSER.test(request.headers['user-agent'] ?? '')) return;
    requests.push(`${request.method} ${request.url?.split('?')[0] ?? ''}`);
    if (sockets.has(socket)) return;
    sockets.add(socket);
    traffic.most = Math.max(traffic.most, sockets.size);
    socket.once('close', () => sockets.delete(socket));
  };
  const traffic: Traffic = {
    requests,
    get open() {
      return sockets.size;
    },
    most: 0,
    close: () => void unsubscribe('http.server.request.start', onRequest),
  };
  subscribe('http.server.request.start', onRequest);
  return traffic;
}
