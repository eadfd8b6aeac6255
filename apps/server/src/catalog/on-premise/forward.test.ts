import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startForwarded, type ElsewhereCaller, type Forwarded } from '../../testing/forwarded.ts';
import { member } from '../../testing/gateway.ts';
import { deployOnPremise, sendRaw, startProvider, type Provider, type Received } from '../../testing/on-premise.ts';

describe('forwarding to a service that runs elsewhere', () => {
  let to: Forwarded;
  beforeAll(async () => {
    to = await startForwarded();
  });
  afterAll(() => to.close());

  test('method, path, query and body arrive; Authorization is the provider’s own', async () => {
    const { method, url, body, headers } = await to.echoed('POST', '/jobs/7%2F8?a=1&a=%20', { body: '{"x": 1}' });
    expect({ method, url, body }).toEqual({ method: 'POST', url: '/base/jobs/7%2F8?a=1&a=%20', body: '{"x": 1}' });
    expect(headers.authorization).toBe(`Basic ${Buffer.from('gate:pässword').toString('base64')}`);
    expect(headers.host).toBe(new URL(to.provider.url).host);
    expect(headers['content-length']).toBe('8');
    expect(headers['x-kethub-subscription-id']).toBe(to.service.subscription.id);
    expect(headers['x-kethub-application-id']).toBe(to.service.application.id);
  });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT'])(
    '%s is forwarded at the root, at what looks like an execution, and deep below',
    async (method) => {
      for (const [path, url] of [
        ['', '/base/'],
        ['/', '/base/'],
        ['/01a1fd32-d765-71ab-ba39-25ede922012b', '/base/01a1fd32-d765-71ab-ba39-25ede922012b'],
        ['/a/b/c/d', '/base/a/b/c/d'],
      ] as const) {
        expect(await to.echoed(method, path)).toMatchObject({ method, url });
      }
    },
  );

  test('HEAD has the length of the answer and no body', async () => {
    const one = await to.callerOfHandler((_request, response) => response.setHeader('content-length', '42').end());
    const { status, headers, text } = await one.request('HEAD', '/');
    expect([status, headers.get('content-length'), text]).toEqual([200, '42', '']);
  });

  test('what a caller says about the way of the request is not believed', async () => {
    const { headers } = await to.echoed('GET', '/', {
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
      'x-forwarded-host': new URL(to.service.endpoint).host,
      'x-forwarded-proto': 'http',
      'x-forwarded-prefix': to.path,
      'x-kethub-subscription-id': to.service.subscription.id,
      forwarded: `for=127.0.0.1;host="${new URL(to.service.endpoint).host}";proto=http`,
      via: '1.1 before, 1.1 kethub',
      accept: 'text/plain',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    for (const name of ['x_forwarded_for', 'x-forwarded-anything', 'x-real-ip', 'cookie', 'proxy-authorization', 'te'])
      expect(headers).not.toHaveProperty(name);
  });

  test('the correlation id is the caller’s when it has the form of one, and the same in the answer', async () => {
    const good = await to.caller.request('GET', '/', { headers: { 'x-request-id': 'run-2026.11:7' } });
    expect(good.headers.get('x-request-id')).toBe('run-2026.11:7');
    expect((good.body as Received).headers['x-request-id']).toBe('run-2026.11:7');
    const bad = await to.caller.request('GET', '/', { headers: { 'x-request-id': 'x"; drop' } });
    expect(bad.headers.get('x-request-id')).toMatch(/^[\w-]{8,}$/);
    expect((bad.body as Received).headers['x-request-id']).toBe(bad.headers.get('x-request-id'));
  });

  test('hop-by-hop headers, also those that Connection lists, stay on their connection both ways', async () => {
    const raw = await sendRaw(
      to.kethub,
      `GET ${to.path}/ HTTP/1.1\r\nHost: x\r\n${to.bearer}\r\nConnection: close, X-Secret , keep-alive\r\nX-Secret: 1\r\nKeep-Alive: timeout=5\r\n\r\n`,
    );
    const [received] = to.provider.received.slice(-1);
    expect(raw).toMatch(/^HTTP\/1.1 200 /);
    expect(received?.headers).not.toHaveProperty('x-secret');
    expect(received?.headers).not.toHaveProperty('keep-alive');
    const one = await to.callerOfHandler((_request, response) => {
      response.writeHead(200, { connection: 'x-inner', 'x-inner': '1', 'x-outer': '1', 'proxy-authenticate': 'Basic' });
      response.end();
    });
    const { headers } = await one.request('GET', '/');
    expect(headers.get('x-outer')).toBe('1');
    expect(headers.get('x-inner')).toBeNull();
    expect(headers.get('proxy-authenticate')).toBeNull();
  });

  test('status and headers come back; what would decide for the whole gateway does not', async () => {
    const one = await to.callerOfHandler((_request, response) => {
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

  test('headers that are none of the provider’s business, or would mislead it, stay at the gateway', async () => {
    const names =
      'X-Auth-Token X-OrganizationId X-HTTP-Method-Override X-HTTP-Method X-Method-Override X-Original-URL X-Rewrite-URL X_Rewrite_Url X-Script-Name True-Client-IP CF-Connecting-IP X-Client-IP X-Envoy-Original-Path X-Forwarded-Uri'.split(
        ' ',
      );
    const { headers } = await to.echoed('GET', '/', {
      headers: { ...Object.fromEntries(names.map((name) => [name, 'x'])), 'x-api-key': 'of the provider' },
    });
    expect(headers['x-api-key']).toBe('of the provider');
    for (const name of names) expect(headers).not.toHaveProperty(name.toLowerCase());
    expect(JSON.stringify(headers)).not.toContain('method-override');
  });

  test('headers that decide for the whole origin, or for what stands in front of it, do not come back', async () => {
    const names =
      'Set-Cookie2 Clear-Site-Data Public-Key-Pins NEL Report-To Reporting-Endpoints Service-Worker-Allowed Access-Control-Allow-Origin Access-Control-Allow-Credentials Cross-Origin-Resource-Policy Permissions-Policy Refresh SourceMap Set-Login Sec-Session-Registration WWW-Authenticate X-Accel-Redirect X-Sendfile X_Accel_Redirect Surrogate-Control Accept-CH Speculation-Rules X-Kethub-Anything'.split(
        ' ',
      );
    const one = await to.callerOfHandler((_request, response) => {
      for (const name of names) response.setHeader(name, 'x');
      response.setHeader('content-security-policy', 'default-src *');
      response.setHeader('x-content-type-options', 'sniff');
      response.setHeader('retry-after', '7');
      response.setHeader(
        'link',
        '</base/jobs?page=2>; rel="next", <https://evil.example.org/x.js>; rel=preload; as=script',
      );
      response.setHeader('x-own', 'of the provider');
      response.end('{}');
    });
    const { headers } = await one.request('GET', '/');
    for (const name of names) expect([name, headers.get(name)]).toEqual([name, null]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
      'retry-after': '7',
      'x-own': 'of the provider',
      link: '</base/jobs?page=2>; rel="next"',
    });
  });

  test('a target in absolute form and an encoded address lead where the plain ones do', async () => {
    const answered = async (target: string): Promise<string> =>
      sendRaw(to.kethub, `GET ${target} HTTP/1.1\r\nHost: x\r\n${to.bearer}\r\nConnection: close\r\n\r\n`);
    const encoded = to.path.replaceAll('.', '%2e');
    for (const target of [`http://evil.example.org${to.path}/jobs/1?q=2`, `${encoded}/jobs/1?q=2`]) {
      expect(await answered(target)).toMatch(/^HTTP\/1.1 200 /);
      expect(to.provider.received.at(-1)?.url).toBe('/base/jobs/1?q=2');
    }
    const before = to.provider.received.length;
    for (const target of [
      `http://evil.example.org${to.path}/../x`,
      `${encoded}/%2e%2e/x`,
      `${encoded}%2f..%2fx`,
      `${encoded}%5c..%5cx`,
      `ftp://evil.example.org${to.path}/x`,
    ])
      expect(await answered(target)).toMatch(/^HTTP\/1.1 4\d\d /);
    expect(to.provider.received.length).toBe(before);
  });

  describe('Location', () => {
    let redirecting: ElsewhereCaller;
    let at: Provider;
    beforeAll(async () => {
      at = await startProvider((request, response) => {
        const location = new URL(request.url ?? '/', 'http://x').searchParams.get('to') ?? '';
        response.writeHead(303, { location: location.replace('SELF', at.url) }).end();
      });
      redirecting = await to.callerAt(`${at.url}/base`);
    });
    afterAll(() => at.close());
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
    ])('%s becomes %s and is not followed', async (to, location) => {
      const { status, headers } = await redirecting.request('GET', `/from?to=${encodeURIComponent(to)}`);
      expect(status).toBe(303);
      const expected = location?.startsWith('/') ? redirecting.endpoint + location : location;
      expect(headers.get('location')).toBe(expected);
    });
  });

  describe('what is refused', () => {
    test.each(['/../x', '/%2e%2e/x', '/a%2f..%2f..%2fb', '/..;/x', '/%252e%252e/x'])('the path %s', async (path) => {
      const before = to.provider.received.length;
      const raw = await sendRaw(
        to.kethub,
        `GET ${to.path}${path} HTTP/1.1\r\nHost: x\r\n${to.bearer}\r\nConnection: close\r\n\r\n`,
      );
      expect(raw).toMatch(/^HTTP\/1.1 400 /);
      expect(to.provider.received.length).toBe(before);
    });

    test('TRACE, CONNECT and Upgrade', async () => {
      const before = to.provider.received.length;
      const trace = await sendRaw(
        to.kethub,
        `TRACE ${to.path}/ HTTP/1.1\r\nHost: x\r\n${to.bearer}\r\nConnection: close\r\n\r\n`,
      );
      expect(trace).toMatch(/^HTTP\/1.1 405 /);
      const connect = await sendRaw(to.kethub, `CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n${to.bearer}\r\n\r\n`);
      expect(connect).not.toMatch(/ 200 /);
      const upgrade = await sendRaw(
        to.kethub,
        `GET ${to.path}/ HTTP/1.1\r\nHost: x\r\n${to.bearer}\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
      );
      expect(upgrade).toMatch(/^HTTP\/1.1 400 /);
      expect(to.provider.received.length).toBe(before);
    });

    test('no token, a wrong one, another service: before anything is forwarded', async () => {
      const before = to.provider.received.length;
      for (const path of ['/', '/deep/er', '/01a1fd32-d765-71ab-ba39-25ede922012b']) {
        expect((await fetch(to.service.endpoint + path, { method: 'DELETE' })).status).toBe(401);
        const headers = { authorization: 'Bearer x' };
        expect((await fetch(to.service.endpoint + path, { method: 'PATCH', headers })).status).toBe(401);
      }
      const other = await deployOnPremise(to.kethub.client, 'Other', { url: to.provider.url });
      const headers = { authorization: `Bearer ${to.caller.bearer}` };
      const refused = await fetch(`${other.endpoint}/x/y`, { method: 'PATCH', headers });
      expect([
        refused.status,
        member(await refused.json(), 'type')
          .split('/')
          .at(-1),
      ]).toEqual([403, 'not-subscribed']);
      expect(to.provider.received.length).toBe(before);
    });
  });
});
