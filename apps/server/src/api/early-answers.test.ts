import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlite } from '../testing/databases.ts';
import { callerOf } from '../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../testing/kethub.ts';
import { RawConnection, type RawAnswer } from '../testing/raw-connection.ts';

const KB = 1024;
const MB = 1024 * 1024;
const UNKNOWN = '01a1fd32-d765-71ab-ba39-25ede922012b';

interface Target {
  readonly what: string;
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly media: string;
}

interface Operations {
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly requestBody?: { readonly content: object } }>>>
  >;
}

let kethub: TestKethub;
let targets: Target[] = [];
let health: { api: number; gateway: number };

beforeAll(async () => {
  kethub = await startTestKethub(sqlite, { KETHUB_DATA_POOL_MB: '1' });
  const { port, gatewayPort } = kethub.platform.configuration;
  health = { api: port, gateway: gatewayPort };
  const deployed = await deploy(kethub.client, 'Probe', {
    'src/__init__.py': '',
    'src/program.py': 'def run(data, params):\n    return {}\n',
  });
  const { bearer } = await callerOf(deployed);
  const service = new URL(deployed.endpoint).pathname.split('/').slice(1, 4);
  targets = [
    ...targetsOf(await operations(`http://127.0.0.1:${port}/api/openapi.json`), port, kethub.loginSession, []),
    ...targetsOf(await operations(`http://127.0.0.1:${gatewayPort}/openapi.json`), gatewayPort, bearer, service),
    ...['token', 'register', 'sign-in', 'nowhere'].map((page) => ({
      what: `POST /auth/${page}`,
      port,
      method: 'POST',
      path: `/auth/${page}`,
      authorization: '',
      media: 'application/x-www-form-urlencoded',
    })),
  ];
});
afterAll(() => kethub.close());

async function operations(address: string): Promise<Operations> {
  return (await (await fetch(address)).json()) as Operations;
}

/** Every operation with every media type of its body. What takes none is sent one all the same. */
function targetsOf({ paths, servers }: Operations, port: number, bearer: string, service: readonly string[]): Target[] {
  const prefix = new URL(servers[0].url).pathname.replace(/\/$/, '');
  return Object.entries(paths).flatMap(([pattern, methods]) => {
    const names = new Map([
      ['{owner}', service[0] ?? ''],
      ['{service}', service[1] ?? ''],
      ['{version}', service[2] ?? '1.0.0'],
    ]);
    const path = prefix + pattern.replaceAll(/\{\w+\}/g, (name) => names.get(name) || UNKNOWN);
    const others = Object.entries(methods).filter(([method]) => method !== 'get' && method !== 'head');
    return others.flatMap(([method, { requestBody }]) =>
      Object.keys(requestBody?.content ?? { 'application/json': {} }).map((media) => ({
        what: `${method.toUpperCase()} ${path} ${media}`,
        port,
        method: method.toUpperCase(),
        path,
        authorization: `Bearer ${bearer}`,
        media,
      })),
    );
  });
}

const formOf = (part: string): string =>
  `--b\nContent-Disposition: form-data; name="${part}"; filename="f"\n\nPK\u0003\u0004`.replaceAll('\n', '\r\n');

async function exchange(
  target: Omit<Target, 'what'>,
  bytes: number,
  connection: 'close' | 'keep-alive',
): Promise<{ answer: RawAnswer; raw: RawConnection }> {
  const isForm = target.media === 'multipart/form-data';
  const head = `${target.method} ${target.path} HTTP/1.1
Host: localhost
Connection: ${connection}
Content-Type: ${target.media}${isForm ? '; boundary=b' : ''}
Content-Length: ${bytes}${target.authorization && `\nAuthorization: ${target.authorization}`}`;
  const raw = new RawConnection(target.port);
  const part = target.path.endsWith('/services') ? 'source' : 'file';
  await raw.send(head, bytes, isForm ? formOf(part) : '', isForm ? '\r\n--b--\r\n' : '');
  return { answer: await raw.answer(), raw };
}

/** Asks for something else on the same connection. */
async function next(raw: RawConnection): Promise<number> {
  await raw.send('GET /health HTTP/1.1\nHost: localhost', 0);
  return (await raw.answer()).status;
}

describe('a body that nobody wants, of every operation', () => {
  test('is answered when the client closes the connection after it', async () => {
    expect(targets.length).toBeGreaterThan(60);
    for (const target of targets) {
      const { answer, raw } = await exchange(target, 1_300 * KB, 'close');
      // An operation that takes no body does not look at it.
      expect(answer.status, target.what).toBeGreaterThanOrEqual(200);
      expect(answer.status, target.what).toBeLessThan(500);
      await raw.end();
    }
  });

  test('is answered on a connection that goes on where little is left, and that ends where much is', async () => {
    for (const target of targets) {
      const short = await exchange(target, 300 * KB, 'keep-alive');
      if (!/^connection: close/im.test(short.answer.head)) expect(await next(short.raw), target.what).toBe(200);
      short.raw.destroy();
      const long = await exchange(target, 1_300 * KB, 'keep-alive');
      if (/^connection: close/im.test(long.answer.head)) await long.raw.end();
      else expect(await next(long.raw), target.what).toBe(200);
      long.raw.destroy();
    }
  });
});

describe('a body above the limit', () => {
  const cases: [what: string, bytes: number, limit: string, find: (target: Target) => boolean][] = [
    ['JSON', 1.1 * MB, '1048576', ({ method, path }) => method === 'POST' && path.endsWith('/applications')],
    ['a form', 17 * KB, '16384', ({ path }) => path === '/token'],
    ['YAML', 600 * KB, '524288', ({ media }) => media === 'application/yaml'],
    ['input of a job', 17 * MB, '16777216', ({ path }) => path.endsWith(`/services/${UNKNOWN}/executions`)],
    [
      'input at the gateway',
      17 * MB,
      '16777216',
      ({ port, path }) => port === health.gateway && path.endsWith('/1.0.0/'),
    ],
    ['an image', 6 * MB, '5242880', ({ path }) => path.endsWith('/profile-image')],
    ['an archive', 65 * MB, '67108864', ({ method, path }) => method === 'POST' && path.endsWith('/api/services')],
  ];
  test.each(cases)(
    'is refused with the limit, over every kind of connection: %s',
    async (_what, bytes, limit, find) => {
      const target = targets.find((one) => one.method !== 'GET' && one.method !== 'DELETE' && find(one));
      if (!target) throw new Error('There is no such operation');
      for (const connection of ['close', 'keep-alive'] as const) {
        const { answer, raw } = await exchange(target, Math.round(bytes), connection);
        expect([400, 413]).toContain(answer.status);
        expect(JSON.parse(answer.body)).toMatchObject({ detail: expect.stringContaining(limit) });
        if (connection === 'close' || /^connection: close/im.test(answer.head)) await raw.end();
        else expect(await next(raw)).toBe(200);
        raw.destroy();
      }
    },
  );
});
