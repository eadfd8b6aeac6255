import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ConnectionLimits } from './connections.ts';
import { endSlowBodies } from './slow-bodies.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Two servers that share their limits, as the ports of a process do. */
async function servers(limits: ConnectionLimits, bytesPerSecond = 0): Promise<number[]> {
  const ports: number[] = [];
  for (let port = 0; port < 2; port++) {
    const server: Server = createServer((incoming, answer) => {
      if (incoming.headers['x-known'] !== undefined)
        limits.admitted(incoming.socket, incoming.socket.remoteAddress ?? '');
      incoming.resume().once('end', () => answer.end('served'));
    });
    limits.watch(server);
    endSlowBodies(server, bytesPerSecond, 2);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    ports.push((server.address() as AddressInfo).port);
  }
  return ports;
}

interface Opened {
  readonly socket: Socket;
  readonly text: () => string;
}

/** Opens a connection from `localAddress`; every address of 127.0.0.0/8 belongs to this machine. */
async function open(port: number, localAddress: string, start = ''): Promise<Opened> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.on('error', () => undefined);
  closing.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(start);
  return { socket, text: () => text };
}

async function get(port: number, localAddress: string, headers: Record<string, string> = {}): Promise<number> {
  const outgoing = request({ port, host: '127.0.0.1', localAddress, headers: { ...headers, connection: 'close' } });
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}

const slow = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nx';

test('one address has no more connections than it may, on all ports together; others go on', async () => {
  const limits = new ConnectionLimits({ ofAddress: 40, inAll: 1_000, bytesPerSecond: 0 }, [], Date.now);
  const [one = 0, other = 0] = await servers(limits);
  const opened = await Promise.all(
    Array.from({ length: 300 }, (_none, index) => open(index % 2 === 0 ? one : other, '127.0.0.9', slow)),
  );
  await expect.poll(() => opened.filter(({ socket }) => !socket.destroyed).length, { timeout: 20_000 }).toBe(40);
  expect(limits.size).toBe(40);
  expect(opened.some(({ text }) => text().includes('429'))).toBe(true);
  expect(await get(one, '127.0.0.8')).toBe(200);
  for (const { socket } of opened) socket.destroy();
  await expect.poll(() => limits.size, { timeout: 20_000 }).toBe(0);
  expect(await get(other, '127.0.0.9')).toBe(200);
});

test('when strangers have taken all, newcomers are served in the place of those with the most, and who is known stays', async () => {
  const limits = new ConnectionLimits({ ofAddress: 400, inAll: 80, bytesPerSecond: 0 }, [], Date.now);
  const [one = 0, other = 0] = await servers(limits);
  const known = await open(one, '127.0.0.5', 'GET / HTTP/1.1\r\nHost: a\r\nX-Known: 1\r\n\r\n');
  await expect.poll(known.text, { timeout: 20_000 }).toContain('served');
  const attackers = await Promise.all(
    Array.from({ length: 300 }, (_none, index) => open(index % 2 === 0 ? one : other, `127.0.1.${index % 3}`, slow)),
  );
  await expect
    .poll(() => attackers.filter(({ socket }) => !socket.destroyed).length, { timeout: 20_000 })
    .toBeLessThanOrEqual(70);
  expect(limits.size).toBeLessThanOrEqual(71);
  // An unknown network is still served, and so is one from which a caller was admitted.
  for (const port of [one, other]) {
    expect(await get(port, '127.0.0.6')).toBe(200);
    expect(await get(port, '127.0.0.5')).toBe(200);
  }
  known.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => known.text().split('served').length, { timeout: 20_000 }).toBe(3);
});

test('a trusted proxy is no address: requests through it are counted by the address that it names', async () => {
  const limits = new ConnectionLimits({ ofAddress: 5, inAll: 1_000, bytesPerSecond: 0 }, ['127.0.0.0/8'], Date.now);
  const [one = 0] = await servers(limits);
  const opened = await Promise.all(Array.from({ length: 50 }, () => open(one, '127.0.0.7', slow)));
  expect(await get(one, '127.0.0.7')).toBe(200);
  expect(opened.every(({ socket }) => !socket.destroyed)).toBe(true);
  const [socket] = opened.map((each) => each.socket);
  const answer = { once: () => undefined };
  const from = (address: string): boolean => {
    const incoming = { socket: { remoteAddress: socket?.remoteAddress ?? '127.0.0.1' } };
    return limits.isTooMany(incoming as never, answer as never, address);
  };
  expect(Array.from({ length: 6 }, () => from('198.51.100.7'))).toEqual([false, false, false, false, false, true]);
  // All addresses of one /64 count as one network.
  expect(Array.from({ length: 6 }, (_none, index) => from(`2001:db8::${index}`)).at(-1)).toBe(true);
  expect(from('198.51.100.8')).toBe(false);
});

test('a body that comes too slowly is ended with 408, one that comes at a steady speed is not', async () => {
  const limits = new ConnectionLimits({ ofAddress: 100, inAll: 1_000, bytesPerSecond: 0 }, [], Date.now);
  const [one = 0] = await servers(limits, 1_000);
  const dribbling = await open(one, '127.0.0.3', slow);
  const dribble = setInterval(() => dribbling.socket.write('x'), 200);
  const steady = await open(one, '127.0.0.4', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 40000\r\n\r\n');
  let left = 40_000;
  const send = setInterval(() => {
    steady.socket.write('x'.repeat(Math.min(left, 2_000)));
    left -= Math.min(left, 2_000);
  }, 250);
  closing.push(
    () => clearInterval(dribble),
    () => clearInterval(send),
  );
  await expect.poll(() => dribbling.text(), { timeout: 60_000 }).toContain('408');
  expect(steady.socket.destroyed).toBe(false);
  await expect.poll(() => steady.text(), { timeout: 60_000 }).toContain('served');
}, 130_000);
