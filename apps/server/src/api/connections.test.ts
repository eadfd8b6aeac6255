import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlite } from '../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../testing/kethub.ts';

let kethub: TestKethub;
beforeAll(async () => {
  kethub = await startTestKethub(sqlite, { KETHUB_CONNECTIONS_PER_ADDRESS: '8' });
});
afterAll(() => kethub.close());

test('the ports of a process share the connections that one address may have', async () => {
  const { port, gatewayPort } = kethub.platform.configuration;
  const open: Socket[] = [];
  for (let count = 0; count < 200; count++) {
    const to = { port: count % 2 === 0 ? port : gatewayPort, host: '127.0.0.1', localAddress: '127.0.0.9' };
    const socket = connect(to).on('error', () => undefined);
    socket.write('POST /token HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nx');
    socket.resume();
    open.push(socket);
  }
  await expect.poll(() => open.filter(({ destroyed }) => !destroyed).length, { timeout: 30_000 }).toBe(8);
  for (const on of [port, gatewayPort]) expect((await fetch(`http://127.0.0.1:${on}/health`)).status).toBe(200);
  expect((await kethub.client.getMe()).id).toEqual(expect.any(String));
  for (const socket of open) socket.destroy();
});
