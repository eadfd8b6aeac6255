import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Doors } from './doors.ts';

const HOST = '127.0.0.1';
const patience = { timeout: 15_000, interval: 20 };

let folder: string;
let server: http.Server;
let doors: Doors;
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-doors-'));
  server = http.createServer((_request, response) => response.end('hello')).listen(0, HOST);
  await once(server, 'listening');
  doors = new Doors(path.join(folder, 'doors'), null, (dir) => dir);
});
afterEach(() => {
  doors.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const target = (): string => `${HOST}:${(server.address() as AddressInfo).port}`;

/** What the proxy answers to whoever asks for the server through this door. */
async function statusThrough(socketPath: string): Promise<number | undefined> {
  const request = http.request({ socketPath, method: 'CONNECT', path: target(), timeout: 5_000 }).end();
  const [answer, socket] = (await once(request, 'connect')) as [http.IncomingMessage, NodeJS.ReadWriteStream];
  socket.end();
  return answer.statusCode;
}

test('nothing is refused before it is known which networks are open, and then what is not', async () => {
  const refused: string[] = [];
  const door = doors.open([target()]);
  door.onRefused = (refusedTarget) => void refused.push(refusedTarget);
  const socket = path.join(door.dir, 'proxy.sock');
  // Nobody answers yet: a proxy without networks would refuse.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(existsSync(socket)).toBe(false);
  doors.allow([`${HOST}/32`]);
  await vi.waitFor(async () => expect(await statusThrough(socket)).toBe(200), patience);
  expect(refused).toEqual([]);
  doors.allow([]);
  await vi.waitFor(async () => expect(await statusThrough(socket)).toBe(403), patience);
  await vi.waitFor(() => expect(refused.length).toBeGreaterThan(0), patience);
});

test('a door says when its proxy listens: a job that waits for it finds a socket', async () => {
  const [door, closed] = [doors.open([target()]), doors.open([target()])];
  let listens = false;
  void door.listens.then(() => (listens = true));
  closed.close();
  await closed.listens;
  expect(listens).toBe(false);
  doors.allow([`${HOST}/32`]);
  await door.listens;
  expect(await statusThrough(path.join(door.dir, 'proxy.sock'))).toBe(200);
});

test('what was closed before it is known is not opened', async () => {
  const [first, second] = [doors.open([target()]), doors.open([target()])];
  first.close();
  doors.allow([`${HOST}/32`]);
  await vi.waitFor(async () => expect(await statusThrough(path.join(second.dir, 'proxy.sock'))).toBe(200), patience);
  expect(existsSync(first.dir)).toBe(false);
});
