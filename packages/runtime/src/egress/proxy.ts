import { lookup } from 'node:dns/promises';
import { createServer, request as send, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { AddressRules } from './address-rules.ts';

/** What one sandbox may reach, and who hears what it may not. */
export interface Grant {
  /** `host:port`, in lower case. */
  hosts: ReadonlySet<string>;
  /** Asked for each connection, because networks that are open can change. */
  rules: () => AddressRules;
  refused: (target: string, why: string) => void;
}

const CONNECT_MS = 10_000;
const IDLE_MS = 300_000;
const MOST_CONNECTIONS = 64;
/** Between two hops only (RFC 9110, 7.6.1), and what a client says to its proxy. */
const HOP_HEADERS = [
  'connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade',
]; // prettier-ignore

/** Why a connection is not made, in words for the author of the service. */
class Refused extends Error {}

/**
 * The forward proxy of one sandbox, the only way out of it: CONNECT for TLS and everything else, and plain requests. Names
 * are resolved here, and the connection goes to the very address that was checked.
 */
export function createProxy(grant: Grant): Server {
  const server = createServer((incoming, outgoing) => void forward(grant, incoming, outgoing));
  server.maxConnections = MOST_CONNECTIONS;
  server.on('connect', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    void tunnel(grant, incoming.url ?? '', socket, head);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  return server;
}

async function tunnel(grant: Grant, target: string, socket: Socket, head: Buffer): Promise<void> {
  socket.on('error', () => socket.destroy());
  try {
    const there = await open(grant, parse(target));
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
  // Never the path: it may hold credentials.
  const target = url === null ? 'an address' : `${url.hostname}:${url.port || 80}`;
  try {
    if (url?.protocol !== 'http:') throw new Refused('a proxy is asked with CONNECT or with a whole http address');
    const place = { host: hostOf(url.hostname), port: Number(url.port || 80) };
    const socket = await open(grant, place);
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).filter(([name]) => !HOP_HEADERS.includes(name)),
    );
    const there = send({
      method: incoming.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host },
      createConnection: () => socket,
    });
    there.setTimeout(IDLE_MS, () => there.destroy());
    there.once('response', (answer) => {
      const kept = Object.entries(answer.headers).filter(([name]) => !HOP_HEADERS.includes(name));
      outgoing.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept));
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

function answerTo(grant: Grant, target: string, error: unknown): { status: string; text: string } {
  const shown = target.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 300);
  if (error instanceof Refused) {
    grant.refused(shown, error.message);
    return { status: '403 Forbidden', text: `Kethub: ${error.message}.\n` };
  }
  return { status: '502 Bad Gateway', text: `Kethub: ${shown} cannot be reached.\n` };
}

interface Place {
  host: string;
  port: number;
}

function parse(target: string): Place {
  const found = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+):(\d{1,5})$/.exec(target);
  if (found === null) throw new Refused('CONNECT needs host:port');
  return { host: hostOf(found[1] ?? ''), port: Number(found[2]) };
}

/** As it is declared: lower case, without the dot of the root and without brackets. */
function hostOf(name: string): string {
  return name.toLowerCase().replace(/\.$/, '').replaceAll(/[[\]]/g, '');
}

/** @throws Refused when it may not be reached; any other error when it cannot. */
async function open({ hosts, rules }: Grant, { host, port }: Place): Promise<Socket> {
  if (!hosts.has(`${host}:${port}`)) {
    throw new Refused(`this version has not declared ${host}:${port} among the hosts that it calls`);
  }
  const found = isIP(host) === 0 ? await lookup(host, { all: true }) : [{ address: host }];
  const allowed = found.find(({ address }) => rules().allows(address));
  if (allowed === undefined) {
    throw new Refused(`${host} is at an address of a private network, which the operator has not opened to services`);
  }
  const socket = connect({ host: allowed.address, port, timeout: CONNECT_MS });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
    socket.once('timeout', () => socket.destroy(new Error('it did not answer')));
  });
  socket.setTimeout(0);
  return socket;
}
