import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../testing/databases.ts';
import { callerOf, member, type Caller } from '../testing/gateway.ts';
import { startTestKethub, type DeployedService, type TestKethub } from '../testing/kethub.ts';
import {
  deployOnPremise,
  localTargets,
  sendRaw,
  startProvider,
  startRawProvider,
  type Provider,
  type Received,
} from '../testing/on-premise.ts';

const [sqlite] = databases;

describe('forwarding to a service that runs elsewhere', () => {
  let kethub: TestKethub;
  let provider: Provider;
  let service: DeployedService;
  let caller: Caller;
  const closing: (() => Promise<unknown>)[] = [];
  let number = 0;

  beforeAll(async () => {
    if (!sqlite) throw new Error('SQLite is always there');
    kethub = await startTestKethub(sqlite, localTargets);
    provider = await startProvider();
    const credentials = { username: 'gate', password: 'pässword' };
    service = await deployOnPremise(kethub.client, 'Echo', { url: `${provider.url}/base/`, credentials });
    caller = await callerOf(service);
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await provider.close();
    await kethub.close();
  });

  const echoed = async (...call: Parameters<Caller['request']>): Promise<Received> => {
    const { body, status } = await caller.request(...call);
    expect(status).toBe(200);
    return body as Received;
  };
  const path = (): string => new URL(service.endpoint).pathname;
  const bearer = (): string => `Authorization: Bearer ${caller.bearer}`;

  /** A service at this target and who calls it. */
  async function callerAt(url: string, timeoutSeconds = 60): Promise<Caller & { endpoint: string }> {
    const deployed = await deployOnPremise(kethub.client, `Service ${(number += 1)}`, { url, timeoutSeconds });
    return { ...(await callerOf(deployed)), endpoint: deployed.endpoint };
  }
  async function callerOfHandler(handle: http.RequestListener): Promise<Caller & { endpoint: string }> {
    const one = await startProvider(handle);
    closing.push(() => one.close());
    return callerAt(one.url);
  }
  async function callerOfRaw(handle: (socket: net.Socket) => void, timeoutSeconds?: number) {
    const one = await startRawProvider(handle);
    closing.push(() => one.close());
    return { ...(await callerAt(one.url, timeoutSeconds)), connections: one.connections };
  }

  test('method, path, query and body arrive; Authorization is the provider’s own', async () => {
    const { method, url, body, headers } = await echoed('POST', '/jobs/7%2F8?a=1&a=%20', { body: '{"x": 1}' });
    expect({ method, url, body }).toEqual({ method: 'POST', url: '/base/jobs/7%2F8?a=1&a=%20', body: '{"x": 1}' });
    expect(headers.authorization).toBe(`Basic ${Buffer.from('gate:pässword').toString('base64')}`);
    expect(headers.host).toBe(new URL(provider.url).host);
    expect(headers['content-length']).toBe('8');
    expect(headers['x-kethub-subscription-id']).toBe(service.subscription.id);
    expect(headers['x-kethub-application-id']).toBe(service.application.id);
  });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT'])(
    '%s is forwarded at the root, at what looks like an execution, and deep below',
    async (method) => {
      for (const [rest, url] of [
        ['', '/base/'],
        ['/', '/base/'],
        ['/01a1fd32-d765-71ab-ba39-25ede922012b', '/base/01a1fd32-d765-71ab-ba39-25ede922012b'],
        ['/a/b/c/d', '/base/a/b/c/d'],
      ] as const) {
        expect(await echoed(method, rest)).toMatchObject({ method, url });
      }
    },
  );

  test('HEAD has the length of the answer and no body', async () => {
    const one = await callerOfHandler((_request, response) => response.setHeader('content-length', '42').end());
    const { status, headers, text } = await one.request('HEAD', '/');
    expect([status, headers.get('content-length'), text]).toEqual([200, '42', '']);
  });

  test('what a caller says about the way of the request is not believed', async () => {
    const { headers } = await echoed('GET', '/', {
      headers: {
        'x-forwarded-for': '1.2.3.4',
        x_forwarded_for: '1.2.3.4',
        'x-forwarded-host': 'evil.example.org',
        'x-forwarded-anything': 'x',
        'x-kethub-subscription-id': 'mine',
        'x-real-ip': '1.2.3.4',
        forwarded: 'for=1.2.3.4',
        via: '1.1 before',
        cookie: 'session=secret',
        'proxy-authorization': 'Basic x',
        te: 'trailers',
        accept: 'text/plain',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
    });
    expect(headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': new URL(service.endpoint).host,
      'x-forwarded-proto': 'http',
      'x-forwarded-prefix': path(),
      'x-kethub-subscription-id': service.subscription.id,
      forwarded: `for=127.0.0.1;host="${new URL(service.endpoint).host}";proto=http`,
      via: '1.1 before, 1.1 kethub',
      accept: 'text/plain',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    for (const name of ['x_forwarded_for', 'x-forwarded-anything', 'x-real-ip', 'cookie', 'proxy-authorization', 'te'])
      expect(headers).not.toHaveProperty(name);
  });

  test('the correlation id is the caller’s when it has the form of one, and the same in the answer', async () => {
    const good = await caller.request('GET', '/', { headers: { 'x-request-id': 'run-2026.11:7' } });
    expect(good.headers.get('x-request-id')).toBe('run-2026.11:7');
    expect((good.body as Received).headers['x-request-id']).toBe('run-2026.11:7');
    const bad = await caller.request('GET', '/', { headers: { 'x-request-id': 'x"; drop' } });
    expect(bad.headers.get('x-request-id')).toMatch(/^[\w-]{8,}$/);
    expect((bad.body as Received).headers['x-request-id']).toBe(bad.headers.get('x-request-id'));
  });

  test('hop-by-hop headers, also those that Connection lists, stay on their connection both ways', async () => {
    const raw = await sendRaw(
      kethub,
      `GET ${path()}/ HTTP/1.1\r\nHost: x\r\n${bearer()}\r\nConnection: close, X-Secret , keep-alive\r\nX-Secret: 1\r\nKeep-Alive: timeout=5\r\n\r\n`,
    );
    const [received] = provider.received.slice(-1);
    expect(raw).toMatch(/^HTTP\/1.1 200 /);
    expect(received?.headers).not.toHaveProperty('x-secret');
    expect(received?.headers).not.toHaveProperty('keep-alive');
    const one = await callerOfHandler((_request, response) => {
      response.writeHead(200, { connection: 'x-inner', 'x-inner': '1', 'x-outer': '1', 'proxy-authenticate': 'Basic' });
      response.end();
    });
    const { headers } = await one.request('GET', '/');
    expect(headers.get('x-outer')).toBe('1');
    expect(headers.get('x-inner')).toBeNull();
    expect(headers.get('proxy-authenticate')).toBeNull();
  });

  test('status and headers come back; what would decide for the whole gateway does not', async () => {
    const one = await callerOfHandler((_request, response) => {
      response.writeHead(
        418,
        [
          ['set-cookie', 'a=1'],
          ['strict-transport-security', 'max-age=1'],
          ['alt-svc', 'h3=":443"'],
          ['x-request-id', 'of-the-provider'],
          ['x-twice', '1'],
          ['x-twice', '2'],
          ['content-type', 'text/x-tea'],
        ].flat(),
      );
      response.end('short and stout');
    });
    const { status, headers, text } = await one.request('GET', '/');
    expect([status, text, headers.get('x-twice')]).toEqual([418, 'short and stout', '1, 2']);
    expect(headers.get('content-type')).toBe('text/x-tea');
    expect(headers.get('via')).toBe('1.1 kethub');
    for (const name of ['set-cookie', 'strict-transport-security', 'alt-svc']) expect(headers.get(name)).toBeNull();
    expect(headers.get('x-request-id')).not.toBe('of-the-provider');
  });

  describe('Location', () => {
    let redirecting: Caller & { endpoint: string };
    let at: Provider;
    beforeAll(async () => {
      at = await startProvider((request, response) => {
        const to = new URL(request.url ?? '/', 'http://x').searchParams.get('to') ?? '';
        response.writeHead(303, { location: to.replace('SELF', at.url) }).end();
      });
      closing.push(() => at.close());
      redirecting = await callerAt(`${at.url}/base`);
    });
    test.each([
      ['SELF/base/jobs/1?x=1#y', '/jobs/1?x=1#y'],
      ['/base/jobs/1', '/jobs/1'],
      ['jobs/1', '/jobs/1'],
      ['/base', '/'],
      ['https://elsewhere.example.org/x', 'https://elsewhere.example.org/x'],
      ['/other', null],
      ['/base2/x', null],
      ['../x', null],
      ['SELF/', null],
      ['javascript:alert(1)', null],
    ])('%s becomes %s and is not followed', async (to, place) => {
      const { status, headers } = await redirecting.request('GET', `/from?to=${encodeURIComponent(to)}`);
      expect(status).toBe(303);
      const expected = place?.startsWith('/') ? redirecting.endpoint + place : place;
      expect(headers.get('location')).toBe(expected);
    });
  });

  describe('what is refused', () => {
    test.each(['/../x', '/%2e%2e/x', '/a%2f..%2f..%2fb', '/..;/x', '/%252e%252e/x'])('the path %s', async (rest) => {
      const before = provider.received.length;
      const raw = await sendRaw(
        kethub,
        `GET ${path()}${rest} HTTP/1.1\r\nHost: x\r\n${bearer()}\r\nConnection: close\r\n\r\n`,
      );
      expect(raw).toMatch(/^HTTP\/1.1 400 /);
      expect(provider.received.length).toBe(before);
    });

    test('TRACE, CONNECT and Upgrade', async () => {
      const before = provider.received.length;
      const trace = await sendRaw(
        kethub,
        `TRACE ${path()}/ HTTP/1.1\r\nHost: x\r\n${bearer()}\r\nConnection: close\r\n\r\n`,
      );
      expect(trace).toMatch(/^HTTP\/1.1 405 /);
      const connect = await sendRaw(kethub, `CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n${bearer()}\r\n\r\n`);
      expect(connect).not.toMatch(/ 200 /);
      const upgrade = await sendRaw(
        kethub,
        `GET ${path()}/ HTTP/1.1\r\nHost: x\r\n${bearer()}\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
      );
      expect(upgrade).toMatch(/^HTTP\/1.1 400 /);
      expect(provider.received.length).toBe(before);
    });

    test('no token, a wrong one, another service: before anything is forwarded', async () => {
      const before = provider.received.length;
      for (const rest of ['/', '/deep/er', '/01a1fd32-d765-71ab-ba39-25ede922012b']) {
        expect((await fetch(service.endpoint + rest, { method: 'DELETE' })).status).toBe(401);
        const headers = { authorization: 'Bearer x' };
        expect((await fetch(service.endpoint + rest, { method: 'PATCH', headers })).status).toBe(401);
      }
      const other = await deployOnPremise(kethub.client, `Other ${number}`, { url: provider.url });
      const headers = { authorization: `Bearer ${caller.bearer}` };
      const refused = await fetch(`${other.endpoint}/x/y`, { method: 'PATCH', headers });
      expect([
        refused.status,
        member(await refused.json(), 'type')
          .split('/')
          .at(-1),
      ]).toEqual([403, 'not-subscribed']);
      expect(provider.received.length).toBe(before);
    });
  });

  describe('requests whose end two readers could see differently', () => {
    const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
    const chunked = (size: string): string => `${size}\r\n{}\r\n0\r\n\r\n${smuggled}`;
    test.each([
      ['CL.TE', 'Content-Length: 4\r\nTransfer-Encoding: chunked', chunked('2')],
      ['TE.CL', 'Transfer-Encoding: chunked\r\nContent-Length: 4', chunked('2')],
      ['two lengths', 'Content-Length: 2\r\nContent-Length: 40', `{}${smuggled}`],
      ['a list of lengths', 'Content-Length: 2, 40', `{}${smuggled}`],
      ['a signed length', 'Content-Length: +2', `{}${smuggled}`],
      ['a length in hex', 'Content-Length: 0x2', `{}${smuggled}`],
      ['a negative length', 'Content-Length: -1', `{}${smuggled}`],
      ['TE with another coding', 'Transfer-Encoding: gzip, chunked', chunked('2')],
      ['TE that does not end in chunked', 'Transfer-Encoding: chunked, identity', chunked('2')],
      ['TE twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', chunked('2')],
      ['TE with a vertical tab', 'Transfer-Encoding: \u000bchunked', chunked('2')],
      ['TE spelled wrong', 'Transfer-Encoding: xchunked', chunked('2')],
      ['a space before the colon', 'Transfer-Encoding : chunked', chunked('2')],
      ['obs-fold', 'Transfer-Encoding:\r\n chunked\r\nContent-Length: 4', chunked('2')],
      ['a bare CR', 'X: a\rTransfer-Encoding: chunked', chunked('2')],
      ['a NUL', 'X: a\0b', ''],
      ['a chunk size with a sign', 'Transfer-Encoding: chunked', chunked('+2')],
      ['a chunk size in 0x', 'Transfer-Encoding: chunked', chunked('0x2')],
      ['a chunk size beyond all numbers', 'Transfer-Encoding: chunked', chunked('10000000000000002')],
      ['a chunk that is longer than it says', 'Transfer-Encoding: chunked', `1\r\n{}\r\n0\r\n\r\n${smuggled}`],
      ['a chunk size that ends with LF', 'Transfer-Encoding: chunked', `2\n{}\r\n0\r\n\r\n${smuggled}`],
    ])('%s', async (_what, header, body) => {
      const before = provider.received.length;
      const raw = await sendRaw(
        kethub,
        `POST ${path()}/ HTTP/1.1\r\nHost: x\r\n${bearer()}\r\n${header}\r\n\r\n${body}`,
      );
      // Refused by the parser, or cut off; never an answer of the provider.
      expect(raw).not.toMatch(/HTTP\/1.1 [23]/);
      expect(provider.received.length).toBe(before);
      // The next one on a connection of the gateway to the provider is what it should be.
      expect(await echoed('GET', '/next')).toMatchObject({ url: '/base/next', body: '' });
    });

    test('chunk extensions and trailers end at the gateway; framing is its own', async () => {
      const raw = await sendRaw(
        kethub,
        `POST ${path()}/ HTTP/1.1\r\nHost: x\r\n${bearer()}\r\nConnection: close\r\nTrailer: X-Late\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\nX-Late: 1\r\nAuthorization: Bearer y\r\n\r\n`,
      );
      expect(raw).toMatch(/^HTTP\/1.1 200 /);
      const [received] = provider.received.slice(-1);
      expect(received).toMatchObject({ body: '{}', headers: { 'transfer-encoding': 'chunked' } });
      expect(received?.headers).not.toHaveProperty('trailer');
      expect(received?.headers).not.toHaveProperty('content-length');
    });

    test('lines that end with LF alone never make another request', async () => {
      const before = provider.received.length;
      const raw = await sendRaw(
        kethub,
        `POST ${path()}/ HTTP/1.1\nHost: x\n${bearer()}\nContent-Length: 2\nConnection: close\n\n{}${smuggled}`,
      );
      expect(raw.match(/HTTP\/1.1 2/g) ?? []).toHaveLength(0);
      expect(provider.received.length).toBe(before);
    });

    test('two requests at once on one connection are two, in order', async () => {
      const one = (name: string, last = ''): string =>
        `POST ${path()}/${name} HTTP/1.1\r\nHost: x\r\n${bearer()}\r\n${last}Content-Length: 2\r\n\r\n{}`;
      const raw = await sendRaw(kethub, one('first') + one('second', 'Connection: close\r\n'));
      expect([...raw.matchAll(/"url":"\/base\/(\w+)"/g)].map(([, name]) => name)).toEqual(['first', 'second']);
    });

    test('Expect: 100-continue is answered by the gateway and not passed on', async () => {
      const raw = await sendRaw(
        kethub,
        `POST ${path()}/ HTTP/1.1\r\nHost: x\r\n${bearer()}\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
      );
      expect(raw).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
      expect(provider.received.at(-1)?.headers).not.toHaveProperty('expect');
    });
  });

  describe('a service that fails', () => {
    const codeOf = (answer: { status: number; body: unknown }): string =>
      `${answer.status} ${member(answer.body, 'type').split('/').at(-1)}`;

    test('nothing listens: 502 with the correlation id', async () => {
      const gone = await startRawProvider(() => undefined);
      await gone.close();
      const answer = await (await callerAt(gone.url)).request('POST', '/', { body: '{}' });
      expect(codeOf(answer)).toBe('502 upstream-unreachable');
      expect(answer.text).toContain(answer.headers.get('x-request-id'));
      expect(answer.text).not.toContain(new URL(gone.url).host);
    });

    test.each([
      ['closes the connection', ''],
      ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
      ['answers with two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
      ['sends a head without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n`],
      ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
    ])('it %s: 502', async (_what, answer) => {
      const one = await callerOfRaw((socket) => socket.once('data', () => socket.end(answer)));
      expect(codeOf(await one.request('POST', '/', { body: '{}' }))).toBe('502 upstream-failed');
    });

    test('it does not answer within its time limit: 504, and its connection is closed', async () => {
      const closed = Promise.withResolvers<void>();
      const one = await callerOfRaw((socket) => socket.once('close', () => closed.resolve()).resume(), 1);
      expect(codeOf(await one.request('GET', '/'))).toBe('504 upstream-timeout');
      await closed.promise;
    });

    test.each([
      ['a length that is not reached', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
      ['chunks without the last one', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
    ])('it breaks off inside its answer (%s): so does the gateway', async (_what, answer) => {
      const one = await callerOfRaw((socket) => socket.once('data', () => socket.end(answer)));
      await expect(one.request('GET', '/')).rejects.toThrow('terminated');
    });

    test('it falls silent inside its answer: the gateway breaks off after the time limit', async () => {
      const one = await callerOfRaw(
        (socket) => socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')),
        1,
      );
      await expect(one.request('GET', '/')).rejects.toThrow('terminated');
    });

    test('an answer with a length and chunks has one end', async () => {
      const one = await callerOfRaw((socket) =>
        socket.once('data', () =>
          socket.end(
            'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfull\r\n0\r\n\r\n',
          ),
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
      const one = await callerOfRaw((socket) =>
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
      const one = await callerOfRaw((socket) => {
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
      const one = await callerOfHandler((request, response) => {
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
      const one = await callerOfHandler((request) => {
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
});
