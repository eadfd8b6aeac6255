import { request as send, type IncomingHttpHeaders } from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { sqlite } from '../../testing/databases.ts';

// Statuses that no table lists, in every way that was found. `checkAnswers` holds each answer against its description.

interface Seen {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

let server: TestAccounts;
let session: string;
let token: { readonly id: string; readonly value: string };
beforeAll(async () => {
  server = await startTestAccounts(sqlite.open);
  await server.addUser('ada');
  session = (await server.signIn('ada')).access_token;
  token = (await (await server.call('POST', '/me/access-tokens', session, { name: 'x' })).json()) as typeof token;
});
afterAll(() => server.close());

/** Sends the address as it is: `fetch` would tidy it up. */
function ask(method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const authorization = { authorization: `Bearer ${session}` };
    const options = { host: '127.0.0.1', port: server.platform.port, method, path, agent: false };
    const request = send({ ...options, headers: { ...authorization, ...headers, ...length } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    request.on('error', reject).end(body);
  });
}

function expectProblem({ status, headers, text }: Seen, expected: number, type: string): void {
  expect([status, headers['content-type']]).toEqual([expected, 'application/problem+json']);
  expect(headers['x-request-id']).toMatch(/^[\w-]{12,}$/);
  if (text !== '') expect(JSON.parse(text)).toMatchObject({ status: expected, type: expect.stringContaining(type) });
}

describe.each([
  '/api/users/%ff',
  '/api/users/%',
  '/api/users/a%2',
  '/api/users/%ed%a0%80',
  '/api/users/%00',
  `/api/users/${'x'.repeat(2_000)}`,
  `/api/users/${'%c3%bc'.repeat(1_000)}`,
  '/api/users/../me',
  '/api/users/%2e%2e/me',
  '/api/users/..%2f..',
  '/api/users//profile-image',
  '/api/%ff',
  '/%ff',
  '/auth/%ff',
  '/api',
  '*',
])('the odd path %s', (path) => {
  test.each(['GET', 'HEAD'])('is 404 with a request id, for %s', async (method) => {
    expectProblem(await ask(method, path), 404, '/not-found');
  });
});

test('an answer quotes no more of an odd path than fits into a line', async () => {
  const { text } = await ask('DELETE', `/api/me/access-tokens/${'x'.repeat(8_000)}`);
  expect((JSON.parse(text) as { detail: string }).detail.length).toBeLessThan(300);
});

test('a request id that the caller has given comes back also where the path is odd', async () => {
  expect((await ask('GET', '/api/%ff', { 'x-request-id': 'my-own-request' })).headers['x-request-id']).toBe(
    'my-own-request',
  );
});

test.each([
  ['a head that is too large', 431, `GET /api/me HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['an address that is too long', 431, `GET /api/users/${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['what is no request', 400, 'nonsense\r\n\r\n'],
])('%s is %i, a problem with a request id', async (_what, status, bytes) => {
  const text = await raw(bytes);
  expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(text).toMatch(/\r\nContent-Type: application\/problem\+json\r\n/);
  expect(text).toMatch(/\r\nX-Request-Id: [\w-]{12,}\r\n/);
});

test('an expectation (Expect) that the server does not know is ignored', async () => {
  expect((await ask('GET', '/api/me', { expect: 'something' })).status).toBe(200);
});

/** Every operation that takes no body, and what it answers to a good request. */
const bodiless = [
  ['POST', '/authorize', 200],
  ['PUT', '/me/access-tokens/default', 200],
  ['DELETE', '/me/profile-image', 204],
  ['DELETE', '/me/access-tokens/01a1fd32-d765-71ab-ba39-25ede922012b', 404],
] as const;
const bodies = [
  ['application/json', '{'],
  ['application/json', `"${'x'.repeat(2_000_000)}"`],
  ['application/json', '{"a":"\xff"}'],
  ['text/plain', 'x'],
  ['application/xml', '<a/>'],
  ['multipart/form-data', 'x'],
  ['application/x-www-form-urlencoded', 'a=%ff'],
  ['no/such', 'x'],
] as const;

test.each(bodiless)('%s %s does not judge a body that it does not take', async (method, path, status) => {
  for (const [type, body] of bodies) {
    const credential = path === '/authorize' ? { 'x-auth-token': token.value } : {};
    const answer = await ask(method, `/api${path}`, { ...credential, 'content-type': type }, body);
    expect([type, answer.status]).toEqual([type, status]);
    const bare = await ask(method, `/api${path}`, credential, body);
    expect(bare.status).toBe(status);
  }
});

test.each([
  ['PUT', '/me', 'application/json', '{}'],
  ['POST', '/me/access-tokens', 'application/json', '{"name":"x"}'],
  ['POST', '/users/batch', 'application/json', '{"ids":[]}'],
  ['POST', '/me/profile-image', 'multipart/form-data', ''],
])('%s %s: other media types and encodings are 415', async (method, path, right, good) => {
  for (const type of ['text/plain', 'application/xml', 'multipart/mixed', 'application/octet-stream', 'json', right])
    for (const encoding of ['identity', 'gzip']) {
      if (type === right && encoding === 'identity') continue;
      const headers = { 'content-type': type, 'content-encoding': encoding };
      expectProblem(await ask(method, `/api${path}`, headers, '{}'), 415, '/unsupported-media-type');
    }
  expectProblem(await ask(method, `/api${path}`, {}, '{}'), 415, '/unsupported-media-type');
  if (good === '') return;
  const { status } = await ask(method, `/api${path}`, { 'content-type': 'Application/JSON; charset=utf-8' }, good);
  expect(status).toBe(200);
});

test.each(['/search?q=%ff', '/search?q=K%F6ln', '/user-registration-status?email=%ff@example.org'])(
  'a query that is not UTF-8 is 400: %s',
  async (path) => {
    expectProblem(await ask('GET', `/api${path}`), 400, '/invalid-request');
  },
);

test('every header of an answer is described, and every described one of a success is sent', async () => {
  interface Described {
    readonly headers?: Record<string, unknown>;
  }
  const { paths } = JSON.parse(JSON.stringify(server.app.swagger())) as {
    paths: Record<string, Record<string, { responses: Record<string, Described> }>>;
  };
  const ordinary =
    /^(content-type|content-length|date|connection|keep-alive|transfer-encoding|x-content-type-options)$/;
  const calls = [
    ['GET', '/me', '/me', {}, undefined],
    ['GET', '/me', '/me', { authorization: 'Bearer x' }, undefined],
    ['PUT', '/me', '/me', { 'content-type': 'application/json' }, '{"about":"y"}'],
    ['GET', '/me/access-tokens', '/me/access-tokens', {}, undefined],
    ['POST', '/me/access-tokens', '/me/access-tokens', { 'content-type': 'application/json' }, '{"name":"y"}'],
    ['PUT', '/me/access-tokens/default', '/me/access-tokens/default', {}, undefined],
    ['POST', '/authorize', '/authorize', { 'x-auth-token': token.value }, undefined],
    ['GET', '/search', '/search?q=ada', {}, undefined],
    ['POST', '/users/batch', '/users/batch', { 'content-type': 'application/json' }, '{"ids":[]}'],
  ] as const;
  for (const [method, path, address, headers, body] of calls) {
    const answer = await ask(method, `/api${address}`, headers, body);
    const described = paths[path]?.[method.toLowerCase()]?.responses[answer.status]?.headers ?? {};
    const names = Object.keys(described).map((name) => name.toLowerCase());
    const sent = Object.keys(answer.headers).filter((name) => !ordinary.test(name));
    expect([method, path, answer.status, sent.filter((name) => !names.includes(name))]).toEqual([
      method,
      path,
      answer.status,
      [],
    ]);
    // A caller without an identity has no limits to report.
    const certain = names.filter((name) => !name.startsWith('ratelimit'));
    expect(sent).toEqual(expect.arrayContaining(certain));
  }
});

function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = net.connect(server.platform.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', reject).on('close', () => resolve(text));
  });
}
