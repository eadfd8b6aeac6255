import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EgressProxies } from './proxies.ts';

const HOST = '127.0.0.1';
const waiting = { timeout: 15_000, interval: 20 };

let folder: string;
let server: http.Server;
let proxies: EgressProxies;
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-proxies-'));
  server = http.createServer((_request, response) => response.end('hello')).listen(0, HOST);
  await once(server, 'listening');
  proxies = new EgressProxies(path.join(folder, 'proxies'), null, (dir) => dir);
});
afterEach(() => {
  proxies.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const target = (): string => `${HOST}:${(server.address() as AddressInfo).port}`;

/** The proxy's answer to a request for the server. */
async function statusThrough(socketPath: string): Promise<number | undefined> {
  const request = http.request({ socketPath, method: 'CONNECT', path: target(), timeout: 5_000 }).end();
  const [answer, socket] = (await once(request, 'connect')) as [http.IncomingMessage, NodeJS.ReadWriteStream];
  socket.end();
  return answer.statusCode;
}

test('nothing is refused before it is known which networks are open, and then what is not', async () => {
  const refused: string[] = [];
  const proxy = proxies.open([target()]);
  proxy.onRefused = (refusedTarget) => void refused.push(refusedTarget);
  const socket = path.join(proxy.dir, 'proxy.sock');
  // Nothing answers yet: a proxy without networks would refuse.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(existsSync(socket)).toBe(false);
  proxies.allow([`${HOST}/32`]);
  await vi.waitFor(async () => expect(await statusThrough(socket)).toBe(200), waiting);
  expect(refused).toEqual([]);
  proxies.allow([]);
  await vi.waitFor(async () => expect(await statusThrough(socket)).toBe(403), waiting);
  await vi.waitFor(() => expect(refused.length).toBeGreaterThan(0), waiting);
});

test('a proxy reports when it listens: a job that waits for it finds a socket', async () => {
  const [proxy, closed] = [proxies.open([target()]), proxies.open([target()])];
  let listens = false;
  void proxy.listens.then(() => (listens = true));
  closed.close();
  await closed.listens;
  expect(listens).toBe(false);
  proxies.allow([`${HOST}/32`]);
  await proxy.listens;
  expect(await statusThrough(path.join(proxy.dir, 'proxy.sock'))).toBe(200);
});

test('what was closed before it is known is not opened', async () => {
  const [first, second] = [proxies.open([target()]), proxies.open([target()])];
  first.close();
  proxies.allow([`${HOST}/32`]);
  await vi.waitFor(async () => expect(await statusThrough(path.join(second.dir, 'proxy.sock'))).toBe(200), waiting);
  expect(existsSync(first.dir)).toBe(false);
});
