import { createServer, request as send, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { AddressRules } from './address-rules.ts';
import { NameFailure, type Names } from './names.ts';
import { Refused, connectTo, type Destination } from './reach.ts';

/** The hosts that one sandbox may reach, and the callback for refused connections. */
export interface Grant {
  /** `host:port`, in lower case. */
  hosts: ReadonlySet<string>;
  /** Called for each connection, because the allowed networks can change. */
  rules: () => AddressRules;
  refused: (target: string, why: string) => void;
  names: Names;
  /** Takes a slot for one connection to a host and returns a function that gives it back, or null when none is free. */
  slot: () => (() => void) | null;
}

/** Milliseconds without traffic after which a connection is closed. */
const IDLE_MS = 300_000;
/** Connections of one sandbox to its proxy, and from there to hosts. More are refused. */
export const MOST_CONNECTIONS = 64;
/** Headers between two hops only (RFC 9110, 7.6.1), or from a client to its proxy. */
const HOP_HEADERS = [
  'connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade',
]; // prettier-ignore

/** The sandbox has as many connections as it may have. */
class Full extends Error {}

/**
 * The forward proxy of one sandbox, its only way to the network: CONNECT for TLS and everything else, and plain
 * requests. Names are resolved here, and the connection goes to the very address that was checked.
 */
export function createProxy(grant: Grant): Server {
  const server = createServer((incoming, outgoing) => void forward(grant, incoming, outgoing));
  server.maxConnections = MOST_CONNECTIONS;
  server.on('connect', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    void tunnel(grant, incoming.url ?? '', socket, head);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  server.on('drop', () => grant.refused('any host', `${MOST_CONNECTIONS} connections are open already`));
  return server;
}

async function tunnel(grant: Grant, target: string, socket: Socket, head: Buffer): Promise<void> {
  socket.on('error', () => socket.destroy());
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  try {
    const there = await open(grant, parse(target), gone.signal);
    there.once('error', () => socket.destroy());
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) there.write(head);
    for (const side of [socket, there]) side.setTimeout(IDLE_MS, () => side.destroy());
    pipeline(socket, there, () => there.destroy());
    pipeline(there, socket, () => socket.destroy());
  } catch (error) {
    const { status, text } = answerTo(grant, target, error);
    socket.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`);
  }
} // prettier-ignore

async function forward(grant: Grant, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const url = incoming.url !== undefined && URL.canParse(incoming.url) ? new URL(incoming.url) : null;
  // The path is left out, as it may contain credentials.
  const target = url === null ? 'an address' : `${url.hostname}:${url.port || 80}`;
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  try {
    if (url?.protocol !== 'http:') throw new Refused('a proxy is asked with CONNECT or with a whole http address');
    const socket = await open(grant, { host: hostOf(url.hostname), port: Number(url.port || 80) }, gone.signal);
    const there = send({
      method: incoming.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...withoutHopHeaders(incoming), host: url.host },
      createConnection: () => socket,
      signal: gone.signal,
    });
    there.setTimeout(IDLE_MS, () => there.destroy());
    there.once('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, withoutHopHeaders(answer));
      pipeline(answer, outgoing, () => outgoing.destroy());
    });
    there.once('error', () => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502, { 'content-type': 'text/plain' }).end('Kethub: the host broke off.\n');
    });
    pipeline(incoming, there, () => undefined);
  } catch (error) {
    const { status, text } = answerTo(grant, target, error);
    const [code = '502'] = status.split(' ');
    outgoing.writeHead(Number(code), { 'content-type': 'text/plain' }).end(text);
  }
}

function withoutHopHeaders({ headers }: IncomingMessage): Record<string, string | string[] | undefined> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.includes(name)));
}

function answerTo(grant: Grant, target: string, error: unknown): { status: string; text: string } {
  const shown = target.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 300);
  if (error instanceof Refused) {
    grant.refused(shown, error.message);
    return { status: '403 Forbidden', text: `Kethub: ${error.message}.\n` };
  }
  if (error instanceof Full) return { status: '503 Service Unavailable', text: `Kethub: ${error.message}.\n` };
  const why = error instanceof NameFailure ? `: ${error.message}` : '';
  return { status: '502 Bad Gateway', text: `Kethub: ${shown} cannot be reached${why}.\n` };
}

function parse(target: string): Destination {
  const found = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+):(\d{1,5})$/.exec(target);
  if (found === null) throw new Refused('CONNECT needs host:port');
  return { host: hostOf(found[1] ?? ''), port: Number(found[2]) };
}

/** The form in which hosts are declared: lower case, without the dot of the root and without brackets. */
function hostOf(name: string): string {
  return name.toLowerCase().replace(/\.$/, '').replaceAll(/[[\]]/g, '');
}

/** @throws Refused when it may not be reached; Full when no slot is free; any other error when it cannot be reached. */
async function open(grant: Grant, destination: Destination, gone: AbortSignal): Promise<Socket> {
  const { host, port } = destination;
  if (!grant.hosts.has(`${host}:${port}`)) {
    throw new Refused(`this version has not declared ${host}:${port} among the hosts that it calls`);
  }
  const release = grant.slot();
  if (release === null) throw new Full(`more connections at once than this execution may have now`);
  try {
    const socket = await connectTo(destination, grant, gone);
    socket.once('close', release);
    if (socket.destroyed) release();
    return socket;
  } catch (error) {
    release();
    throw error;
  }
}
