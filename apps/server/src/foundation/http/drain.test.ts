import http from 'node:http';
import net from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Drain } from './drain.ts';

describe('a server that is to end', () => {
  let server: http.Server;
  let drain: Drain;
  let port: number;
  let asked: http.ServerResponse[];
  let agent: http.Agent;

  beforeEach(async () => {
    asked = [];
    agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    server = http.createServer((request, answer) => {
      if (request.url === '/now') answer.end('now');
      else asked.push(answer);
    });
    drain = new Drain(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });

  const get = async (path: string, of: http.Agent | false = agent): Promise<{ text: string; connection: string }> => {
    const request = http.get({ port, path, agent: of });
    const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
    const chunks = await answer.toArray();
    return { text: Buffer.concat(chunks as Buffer[]).toString(), connection: answer.headers.connection ?? '' };
  };
  const received = async (count: number): Promise<void> => {
    await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(count);
  };

  test('answers go on, and each closes its connection, also that of a request from before', async () => {
    expect((await get('/now')).connection).toBe('keep-alive');
    const early = get('/later');
    await received(1);
    drain.begin();
    expect(drain.isBegun).toBe(true);
    expect(await get('/now', false)).toEqual({ text: 'now', connection: 'close' });
    asked[0]?.end('later');
    expect(await early).toEqual({ text: 'later', connection: 'close' });
  });

  test('it accepts no connection, answers what it has received, and closes idle connections', async () => {
    await get('/now');
    const idle = net.connect(port, '127.0.0.1');
    await once(idle, 'connect');
    const early = get('/later', false);
    await received(1);
    const finished = drain.finish(60_000);
    await expect(get('/now', false)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    if (!idle.closed) await once(idle.resume(), 'close');
    asked[0]?.end('later');
    expect(await early).toEqual({ text: 'later', connection: 'close' });
    await finished;
  });

  test('a request that is on its way on a connection from just before is answered', async () => {
    const early = get('/later', false);
    await received(1);
    const fresh = net.connect(port, '127.0.0.1');
    await once(fresh, 'connect');
    const finished = drain.finish(60_000);
    // The look at open connections comes first.
    await new Promise((resolve) => setImmediate(resolve));
    fresh.write('GET /now HTTP/1.1\r\nHost: a\r\n\r\n');
    const text = Buffer.concat((await fresh.toArray()) as Buffer[]).toString();
    expect(text).toMatch(/^HTTP\/1.1 200 OK.*Connection: close.*now$/s);
    asked[0]?.end('later');
    await early;
    await finished;
  });

  test('waits end at once, also those that begin later', async () => {
    const ended: string[] = [];
    drain.whenClosing(() => ended.push('one'));
    drain.whenClosing(() => ended.push('withdrawn'))();
    await drain.finish(60_000);
    drain.whenClosing(() => ended.push('late'));
    expect(ended).toEqual(['one', 'late']);
  });

  test('it waits no longer than it may', async () => {
    const early = get('/later', false);
    early.catch(() => undefined);
    await received(1);
    await drain.finish(100);
    expect(asked[0]?.writableEnded).toBe(false);
  });
});
