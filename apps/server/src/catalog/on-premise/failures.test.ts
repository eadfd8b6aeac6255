import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startForwarded, type Forwarded } from '../../testing/forwarded.ts';
import { member } from '../../testing/gateway.ts';
import { startRawProvider } from '../../testing/on-premise.ts';

describe('forwarding to a service that fails', () => {
  let to: Forwarded;
  beforeAll(async () => {
    to = await startForwarded();
  });
  afterAll(() => to.close());

  const codeOf = (answer: { status: number; body: unknown }): string =>
    `${answer.status} ${member(answer.body, 'type').split('/').at(-1)}`;

  test('nothing listens: 502 with the correlation id', async () => {
    const gone = await startRawProvider(() => undefined);
    await gone.close();
    // No test listens at this address, although another may have got the port meanwhile.
    const nowhere = gone.url.replace('127.0.0.1', '127.0.0.2');
    const answer = await (await to.callerAt(nowhere)).request('POST', '/', { body: '{}' });
    expect(codeOf(answer)).toBe('502 upstream-unreachable');
    expect(answer.text).toContain(answer.headers.get('x-request-id'));
    expect(answer.text).not.toContain(new URL(nowhere).host);
  });

  test.each([
    ['closes the connection', ''],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['answers with two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['sends a head without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n`],
    ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
  ])('it %s: 502', async (_what, answer) => {
    const one = await to.callerOfRaw((socket) => socket.once('data', () => socket.end(answer)));
    expect(codeOf(await one.request('POST', '/', { body: '{}' }))).toBe('502 upstream-failed');
  });

  test('it does not answer within its time limit: 504, and its connection is closed', async () => {
    const closed = Promise.withResolvers<void>();
    const one = await to.callerOfRaw((socket) => socket.once('close', () => closed.resolve()).resume(), 1);
    expect(codeOf(await one.request('GET', '/'))).toBe('504 upstream-timeout');
    await closed.promise;
  });

  test.each([
    ['a length that is not reached', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
    ['chunks without the last one', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
  ])('it breaks off inside its answer (%s): so does the gateway', async (_what, answer) => {
    const one = await to.callerOfRaw((socket) => socket.once('data', () => socket.end(answer)));
    await expect(one.request('GET', '/')).rejects.toThrow('terminated');
  });

  test('it falls silent inside its answer: the gateway breaks off after the time limit', async () => {
    const one = await to.callerOfRaw(
      (socket) => socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')),
      1,
    );
    await expect(one.request('GET', '/')).rejects.toThrow('terminated');
  });

  test('an answer with a length and chunks has one end', async () => {
    const one = await to.callerOfRaw((socket) =>
      socket.once('data', () =>
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfull\r\n0\r\n\r\n'),
      ),
    );
    const answer = await one.request('GET', '/');
    if (answer.status === 200) {
      expect(answer.text).toBe('full');
      expect(answer.headers.get('content-length')).toBeNull();
    } else expect(codeOf(answer)).toBe('502 upstream-failed');
  });

  test('a second answer that nobody asked for does not become that of the next caller', async () => {
    let calls = 0;
    const one = await to.callerOfRaw((socket) =>
      socket.on('data', () => {
        calls += 1;
        const poison = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison';
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood${calls === 1 ? poison : ''}`);
      }),
    );
    const texts = [];
    for (let call = 0; call < 3; call += 1) texts.push((await one.request('GET', '/')).text);
    expect(texts).toEqual(['good', 'good', 'good']);
  });

  test('it has closed a connection that was kept: the request is made again on a new one', async () => {
    const one = await to.callerOfRaw((socket) => {
      let requests = 0;
      socket.on('data', () => {
        requests += 1;
        if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        else socket.resetAndDestroy();
      });
    });
    for (let call = 0; call < 3; call += 1) expect((await one.request('GET', '/')).text).toBe('ok');
    expect(one.connections()).toBe(3);
  });

  test('the caller hangs up: the request to the service ends', async () => {
    const asked = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const one = await to.callerOfHandler((request, response) => {
      asked.resolve();
      response.once('close', () => ended.resolve());
      request.resume();
    });
    const hangUp = new AbortController();
    const call = one.request('POST', '/', { body: '{}', signal: hangUp.signal });
    await asked.promise;
    hangUp.abort();
    await expect(call).rejects.toThrow('aborted');
    await ended.promise;
  });

  test('the caller hangs up inside its own body: the service sees no whole request', async () => {
    const arrived = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<boolean>();
    const one = await to.callerOfHandler((request) => {
      request.once('data', () => arrived.resolve());
      request.once('error', () => undefined);
      request.once('close', () => ended.resolve(request.complete));
    });
    const { port, hostname, pathname } = new URL(one.endpoint);
    const socket = net.connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `POST ${pathname}/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${one.bearer}\r\nContent-Length: 100\r\n\r\nhalf`,
    );
    await arrived.promise;
    socket.destroy();
    expect(await ended.promise).toBe(false);
  });
});
