import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../testing/bench.ts';
import { hashOf, takeFile, Transfers } from './transfers.ts';

const root = mkdtempSync(join(os.tmpdir(), 'kethub-transfers-'));
const target = join(root, 'file');
const transfers = new Transfers();
const token = 'a'.repeat(64);
const pod = '10000000-0000-4000-8000-000000000000';
const headers = { authorization: `Bearer ${token}`, 'x-kethub-pod': pod };
const MOST = 100;
let port: number;

beforeAll(async () => {
  port = await transfers.listen(0, null);
  transfers.open('one', {
    tokenHash: hashOf(token),
    parts: {},
    input: null,
    claim: (by) => by === pod,
    receive: (_what, _segments, _query, request) => takeFile(request, target, MOST),
  });
});
afterAll(() => {
  transfers.close();
  rmSync(root, { recursive: true });
});

const put = async (body: string, more: Record<string, string> = {}): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${port}/pods/one/file`, { method: 'PUT', headers: { ...headers, ...more }, body }); // prettier-ignore
  await answer.text();
  return answer.status;
};

test('a body that is cut in the middle is sent again, and is whole then', async () => {
  const request = http.request({
    port,
    method: 'PUT',
    path: '/pods/one/file',
    headers: { ...headers, 'content-length': 10 },
  });
  request.on('error', () => undefined).write('hal');
  await until('its beginning came', () => statSync(target, { throwIfNoEntry: false })?.size === 3);
  request.destroy();
  expect(await put('the whole')).toBe(200);
  expect(readFileSync(target, 'utf8')).toBe('the whole');
});

test('what is too much, has no length or no right is refused, and changes nothing', async () => {
  expect(await put('kept')).toBe(200);
  expect(await put('x'.repeat(MOST + 1))).toBe(413);
  const endless = http.request({ port, method: 'PUT', path: '/pods/one/file', headers });
  endless.on('error', () => undefined).write('x');
  const [answer] = (await once(endless, 'response')) as [http.IncomingMessage];
  expect(answer.statusCode).toBe(413);
  endless.destroy();
  expect(await put('x', { authorization: `Bearer ${'b'.repeat(64)}` })).toBe(404);
  expect(await put('x', { 'x-kethub-pod': pod.replace('1', '2') })).toBe(409);
  expect(await put('x', { 'x-kethub-pod': 'x'.repeat(5_000) })).toBe(400);
  expect(readFileSync(target, 'utf8')).toBe('kept');
});

test('an address takes 64 connections without a token, which do not count once they have shown one', async () => {
  const sockets: net.Socket[] = [];
  const closed = new Set<net.Socket>();
  const open = async (count: number, first?: string): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const socket = net.connect(port, '127.0.0.1');
      sockets.push(socket.on('error', () => undefined).once('close', () => closed.add(socket)));
      await once(socket, 'connect');
      if (first === undefined) continue;
      socket.write(first);
      await once(socket, 'data');
    }
  };
  const shown = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  await open(70, `POST /pods/one/claim HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n${shown.join('')}\r\n`);
  await open(100);
  await until('those beyond the bound are closed', () => closed.size >= 36);
  expect(closed.size).toBe(36);
  for (const socket of sockets) socket.destroy();
  await until('there is room again', async () => (await put('again').catch(() => 0)) === 200);
});
