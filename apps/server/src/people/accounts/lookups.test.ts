import { describe, expect, onTestFinished, test } from 'vitest';
import { startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';

interface Described {
  readonly paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>;
}

describe.each(databases())('looking people up, on $name', ({ open }) => {
  /** A platform on which everybody may look up 60 a minute, on a clock that stands. */
  async function start(settings: Record<string, string> = {}): Promise<TestAccounts & { pass(ms: number): void }> {
    let now = Date.now();
    const server = await startTestAccounts(open, {
      now: () => now,
      settings: {
        KETHUB_RATE_LIMIT_LOOKUPS: '60',
        KETHUB_RATE_LIMIT_REQUESTS: '0',
        KETHUB_TRUSTED_PROXIES: '127.0.0.1',
        ...settings,
      },
    });
    onTestFinished(() => server.close());
    return { ...server, pass: (ms) => void (now += ms) };
  }

  const statuses = async (times: number, request: () => Promise<Response>): Promise<number[]> => {
    const found: number[] = [];
    for (let round = 0; round < times; round += 1) found.push((await request()).status);
    return found;
  };

  test('an answer says how much is left, refused when there is nothing, and served again later', async () => {
    const server = await start();
    const ada = await server.addUser('ada');
    const { access_token: session } = await server.signIn('ada');
    const first = await server.call('GET', `/users/${ada.id}`, session);
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-policy')).toBe('"lookups";q=60;w=60, "lookups-of-network";q=600;w=60');
    expect(first.headers.get('ratelimit')).toBe('"lookups";r=59;t=1');

    const searches = await statuses(12, () => server.call('GET', '/search?q=ad', session));
    expect(searches).toEqual([...Array<number>(11).fill(200), 429]);
    const refused = await server.call('GET', '/search?q=ad', session);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('ratelimit')).toBe('"lookups";r=4;t=56');
    expect(await refused.json()).toMatchObject({
      type: `${server.platform.addresses.problems}/too-many-requests`,
      detail: 'The limit is 60 a minute (lookups). Try again in 1 seconds.',
    });
    server.pass(1_000);
    expect((await server.call('GET', '/search?q=ad', session)).status).toBe(200);
  });

  test('all credentials of a person share one limit; other people have their own', async () => {
    const server = await start();
    await server.addUser('ada');
    await server.addUser('grace');
    const { access_token: ada } = await server.signIn('ada');
    const { access_token: grace } = await server.signIn('grace');
    const { value: token } = (await (await server.call('POST', '/me/access-tokens', ada, { name: 'x' })).json()) as {
      value: string;
    };
    await statuses(12, () => server.call('GET', '/search?q=ad', ada));
    expect((await server.call('GET', '/search?q=ad', token)).status).toBe(429);
    expect((await server.call('GET', '/search?q=ad', grace)).status).toBe(200);
    expect((await server.call('GET', '/me', ada)).status).toBe(200);
  });

  test('the status of a registration can be asked for three times as long as a name twenty times', async () => {
    const server = await start();
    await server.addUser('ada');
    const { access_token: session } = await server.signIn('ada');
    const ask = () => server.call('GET', '/user-registration-status?email=nobody@example.org', session);
    expect(await statuses(4, ask)).toEqual([200, 200, 200, 429]);
  });

  test('strangers are limited by network, as the proxy names it, and by what a batch asks for', async () => {
    const server = await start();
    const { id } = await server.addUser('ada');
    const ids = Array.from({ length: 200 }, () => server.platform.newId());
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const batch = (address: string) => () => server.call('POST', '/users/batch', null, { ids }, from(address));
    // 600 a minute for a network; a batch of 200 costs 20.
    const answers = await statuses(31, batch('2001:db8::1'));
    expect(answers).toEqual([...Array<number>(30).fill(200), 429]);
    const refused = await server.call('HEAD', `/users/${id}`, null, undefined, from('2001:db8::ffff'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await server.call('GET', `/users/${id}/profile-image`, null, undefined, from('2001:db8::2'))).status).toBe(
      429,
    );
    expect((await batch('2001:db8:0:1::1')()).status).toBe(200);
    // Look-ups of strangers do not count against signed-in people in the same network.
    const { access_token: session } = await server.signIn('ada');
    const { status } = await server.call('POST', '/users/batch', session, { ids }, from('2001:db8::1'));
    expect(status).toBe(200);
    expect((await server.call('HEAD', `/users/${id}`, 'eyJ.e30.x', undefined, from('2001:db8::1'))).status).toBe(429);
    expect((await server.call('GET', `/users/${id}`, session, undefined, from('2001:db8::1'))).status).toBe(200);
  });

  test('nobody uses up the share of their network by being refused', async () => {
    const server = await start();
    const ada = await server.addUser('ada');
    const { access_token: session } = await server.signIn('ada');
    await statuses(200, () => server.call('GET', '/search?q=ad', session));
    await server.addUser('grace');
    const { access_token: grace } = await server.signIn('grace');
    const neighbour = await server.call('GET', `/users/${ada.id}`, grace);
    expect(neighbour.headers.get('ratelimit')).toBe('"lookups-of-network";r=539;t=7');
  });

  test('requests at large are limited by person, unless they are not to be', async () => {
    const unlimited = await start();
    await unlimited.addUser('ada');
    const free = await unlimited.call('GET', '/me', (await unlimited.signIn('ada')).access_token);
    expect([free.status, free.headers.get('ratelimit-policy')]).toEqual([200, null]);

    const server = await start({ KETHUB_RATE_LIMIT_REQUESTS: '5' });
    await server.addUser('ada');
    await server.addUser('grace');
    const { access_token: ada } = await server.signIn('ada');
    const { access_token: grace } = await server.signIn('grace');
    expect(await statuses(6, () => server.call('GET', '/me', ada))).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await server.call('GET', '/search?q=ad', ada)).status).toBe(429);
    const other = await server.call('GET', '/search?q=ad', grace);
    expect(other.headers.get('ratelimit-policy')).toBe(
      '"requests";q=5;w=60, "lookups";q=60;w=60, "lookups-of-network";q=600;w=60',
    );
    expect(other.headers.get('ratelimit')).toBe('"requests";r=4;t=12');
  });

  test('the description names 429 where it can be answered, with its fields', async () => {
    const limited = ({ paths }: Described): string[] =>
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).flatMap(([method, { responses }]) =>
          responses['429']?.headers ? [`${method} ${path}`] : [],
        ),
      );
    const some = await start();
    const described = some.app.swagger() as unknown as Described;
    expect(limited(described)).toEqual(
      expect.arrayContaining([
        'get /users/{id}',
        'head /users/{id}',
        'get /users/{id}/profile-image',
        'post /users/batch',
        'get /user-registration-status',
        'get /search',
      ]),
    );
    expect(limited(described)).not.toContain('get /me');
    expect(described.paths['/search']?.['get']?.responses['429']?.headers).toHaveProperty('RateLimit-Policy');
    const all = await start({ KETHUB_RATE_LIMIT_REQUESTS: '1000' });
    expect(limited(all.app.swagger() as unknown as Described)).toContain('get /me');
  });
});
