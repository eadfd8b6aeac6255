import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { readRemainders } from './body-remainder.ts';

test('a connection keeps nothing of the requests that were answered before their body had come', async () => {
  const sockets = new Set<Socket>();
  const server = http.createServer((request, answer) => {
    sockets.add(request.socket);
    answer.writeHead(400, { 'content-length': 0 }).end();
  });
  readRemainders(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const send = () =>
    new Promise<void>((done, failed) => {
      const request = http.request({ port, agent, method: 'POST' }, (answer) => answer.resume().once('end', done));
      request.once('error', failed).end(Buffer.alloc(300_000));
    });
  const listeners = () => [...sockets].reduce((sum, socket) => sum + socket.listenerCount('close'), 0);
  for (let round = 0; round < 3; round++) await send();
  const before = listeners();
  for (let round = 0; round < 20; round++) await send();
  expect(sockets.size).toBe(1);
  expect(listeners()).toBeLessThanOrEqual(before);
});
