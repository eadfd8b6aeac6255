import { once } from 'node:events';
import http, { type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { closeWhenSlow, closeWhenStalled } from './slow-readers.ts';

const SLOW_MS = 200;
let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function serve(
  answer: (response: http.ServerResponse) => void,
  watch: (response: http.ServerResponse) => void = (response) => closeWhenStalled(response, SLOW_MS),
): Promise<IncomingMessage> {
  server = http.createServer((_request, response) => {
    watch(response);
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(http.get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

test('whoever takes nothing of a long answer is closed', async () => {
  let closed = false;
  const response = await serve((answer) => {
    answer.once('close', () => (closed = !answer.writableFinished));
    answer.end(Buffer.alloc(64 * 1024 * 1024));
  });
  response.pause();
  await vi.waitFor(() => expect(closed).toBe(true), { timeout: 15_000 });
});

test('a quiet stream of which all was taken stays open', async () => {
  let pending: http.ServerResponse | null = null;
  const response = await serve((answer) => {
    pending = answer;
    answer.write('first');
  });
  const [first] = (await once(response, 'data')) as [Buffer];
  await pause(SLOW_MS * 3);
  const next = once(response, 'data');
  (pending as http.ServerResponse | null)?.write('second');
  expect([first.toString(), String((await next)[0])]).toEqual(['first', 'second']);
});

test('whoever takes a little again and again is closed as well', async () => {
  let closed = false;
  const response = await serve(
    (answer) => {
      answer.once('close', () => (closed = !answer.writableFinished));
      answer.end(Buffer.alloc(64 * 1024 * 1024));
    },
    (answer) => closeWhenSlow(answer, 1024 * 1024, 2),
  );
  response.pause();
  const trickle = setInterval(() => response.read(1), 20);
  await vi.waitFor(() => expect(closed).toBe(true), { timeout: 15_000 });
  clearInterval(trickle);
});

test('a fast reader gets all of a long answer, and a pause of the server does not count', async () => {
  const bytes = 16 * 1024 * 1024;
  const response = await serve(
    (answer) => {
      answer.write(Buffer.alloc(bytes));
      setTimeout(() => answer.end('end'), 3_000);
    },
    (answer) => closeWhenSlow(answer, 1024, 2),
  );
  let read = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) read += chunk.length;
  expect(read).toBe(bytes + 3);
});
