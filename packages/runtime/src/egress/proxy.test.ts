import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { startNameServer, type NameServer } from '../testing/name-server.ts';
import { createAddressRules } from './address-rules.ts';
import { FairSlots } from './fair-slots.ts';
import { Names } from './names.ts';
import { createProxy } from './proxy.ts';

const SLOTS = 8;
const wait = { timeout: 15_000, interval: 20 };
let nameServer: NameServer;
let host: Server;
/** Requests that the host has received and does not answer. */
const open = new Set<Socket>();
const closing: (() => void)[] = [];
beforeAll(async () => {
  nameServer = await startNameServer({ 'there.test': '127.0.0.1' });
  host = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith('/open')) {
      open.add(incoming.socket);
      incoming.socket.once('close', () => open.delete(incoming.socket));
    } else outgoing.end('hello');
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
});
afterAll(() => {
  nameServer.close();
  host.closeAllConnections();
  host.close();
});
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const port = (server: Server): number => (server.address() as AddressInfo).port;
const silent = Array.from({ length: 60 }, (_, index) => `silent-${index}.test`);

/** The proxy of one execution, beside others in the same process. */
async function proxy(slots = new FairSlots(SLOTS * 4, SLOTS)): Promise<Server> {
  const names = new Names({ servers: [nameServer.address], hostsFile: null, resolvConf: null, most: 4 });
  const rules = createAddressRules(['127.0.0.1/32']);
  const hosts = new Set([`there.test:${port(host)}`, ...silent.map((name) => `${name}:443`)]);
  slots.enter('one');
  const server = createProxy({ hosts, rules: () => rules, refused: () => undefined, names, slot: () => slots.take('one') });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    names.close();
    server.close();
    server.closeAllConnections();
  });
  return server;
} // prettier-ignore

function tunnel(through: Server, target: string): { status: Promise<number | undefined>; end: () => void } {
  const asked = request({ port: port(through), method: 'CONNECT', path: target, agent: false }).end();
  asked.on('error', () => undefined);
  const status = once(asked, 'connect').then((connected) => {
    const [answer, socket] = connected as [IncomingMessage, Socket];
    socket.destroy();
    return answer.statusCode;
  });
  return { status, end: () => asked.destroy() };
}

/** Sends bytes and collects the answer. */
function send(through: Server, bytes: string): { answer: () => string; socket: Socket } {
  let answered = '';
  const socket = connect(port(through), '127.0.0.1', () => socket.write(bytes));
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => (answered += chunk.toString('latin1')));
  closing.push(() => socket.destroy());
  return { answer: () => answered, socket };
}

test('60 tunnels to names of a silent server delay no tunnel of another execution', async () => {
  const [hostile, other] = [await proxy(new FairSlots(100, 64)), await proxy()];
  let answers = 0;
  for (const name of silent) {
    const { status, end } = tunnel(hostile, `${name}:443`);
    closing.push(end);
    status.then(
      () => (answers += 1),
      () => undefined,
    );
  }
  await vi.waitFor(() => expect(nameServer.asked.some((name) => name.startsWith('silent'))).toBe(true), wait);
  expect(await tunnel(other, `there.test:${port(host)}`).status).toBe(200);
  expect(answers).toBe(0);
});

test('requests that one connection sends ahead take no more slots than one execution has', async () => {
  const through = await proxy();
  const one = `GET http://there.test:${port(host)}/open HTTP/1.1\r\nHost: there.test\r\n\r\n`;
  const { socket } = send(through, one.repeat(40));
  await vi.waitFor(() => expect(open.size).toBe(SLOTS), wait);
  const next = request({ port: port(through), path: `http://there.test:${port(host)}/`, agent: false }).end();
  const [answer] = (await once(next, 'response')) as [IncomingMessage];
  expect([answer.statusCode, await text(answer)]).toEqual([503, expect.stringContaining('more connections at once')]);
  // The clients have left: the connections that were opened for them are closed, and their slots are free again.
  socket.destroy();
  await vi.waitFor(() => expect(open.size).toBe(0), wait);
  expect(await tunnel(through, `there.test:${port(host)}`).status).toBe(200);
});

test('a tunnel that nobody waits for any more gives its slot back', async () => {
  const through = await proxy(new FairSlots(2, 1));
  for (let round = 0; round < 3; round += 1) {
    const { socket } = send(through, `CONNECT there.test:${port(host)} HTTP/1.1\r\n\r\nGET /open HTTP/1.1\r\nHost: x\r\n\r\n`);
    await vi.waitFor(() => expect(open.size).toBe(1), wait);
    socket.destroy();
    await vi.waitFor(() => expect(open.size).toBe(0), wait);
  }
}); // prettier-ignore
