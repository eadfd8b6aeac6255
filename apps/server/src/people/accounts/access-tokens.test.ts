import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isWellFormed } from '../../foundation/storage/index.ts';
import { startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';

interface Token {
  readonly id: string;
  readonly value: string;
}
interface Tokens {
  readonly defaultToken: string;
  readonly accessTokens: { id: string; name: string; usedAt: string | null }[];
}

const PATHS = [
  ['GET', '/me/access-tokens', undefined],
  ['POST', '/me/access-tokens', { name: 'laptop' }],
  ['PUT', '/me/access-tokens/default', undefined],
  ['DELETE', '/me/access-tokens/01a1fd32-d765-71ab-ba39-25ede922012b', undefined],
] as const;

describe.each(databases())('personal access tokens on $name', ({ open }) => {
  let server: TestAccounts;
  beforeAll(async () => {
    server = await startTestAccounts(open);
  });
  afterAll(() => server.close());

  /** A new user's login session, and the calls that the tests make with it. */
  async function person(username: string) {
    const { id } = await server.addUser(username);
    const { access_token: session } = await server.signIn(username);
    const call = (...[method, path, body, headers]: [string, string, unknown?, Record<string, string>?]) =>
      server.call(method, path, session, body, headers);
    return {
      id,
      call,
      list: async () => (await (await call('GET', '/me/access-tokens')).json()) as Tokens,
      create: async (body: object) => {
        const response = await call('POST', '/me/access-tokens', body);
        expect(response.status).toBe(200);
        return (await response.json()) as Token;
      },
    };
  }
  const opens = async (token: string): Promise<number> => (await server.call('GET', '/me', token)).status;

  test('a token is shown by value once, and by its metadata afterwards', async () => {
    const ada = await person('ada');
    const response = await ada.call('POST', '/me/access-tokens', { name: 'laptop', expiresAt: '2999-12-31' });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const created = (await response.json()) as Token;
    expect(created).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      name: 'laptop',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      usedAt: null,
      expiresAt: '2999-12-31',
      value: expect.stringMatching(/^ket_pat_[0-9A-Za-z]{38}$/),
    });
    expect(isWellFormed('ket_pat_', created.value)).toBe(true);
    expect(await opens(created.value)).toBe(200);
    const second = await ada.create({ name: 'laptop', expiresAt: null });
    const list = await ada.list();
    expect(list.accessTokens).toEqual([
      { ...second, value: null },
      { ...created, value: null, usedAt: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) },
    ]);
    expect(Object.keys(list)).toEqual(['defaultToken', 'accessTokens']);
  });

  test('the default token exists from the first read, is the same on every read and is not listed', async () => {
    const grace = await person('grace');
    const lists = await Promise.all([grace.list(), grace.list(), grace.list(), grace.list()]);
    expect(new Set(lists.map((list) => list.defaultToken)).size).toBe(1);
    expect(lists.every((list) => list.accessTokens.length === 0)).toBe(true);
    expect(await opens((await grace.list()).defaultToken)).toBe(200);
  });

  test('a renewed default token works at once, and the one before does not', async () => {
    const joan = await person('joan');
    const { defaultToken: before } = await joan.list();
    expect(await opens(before)).toBe(200);
    const response = await joan.call('PUT', '/me/access-tokens/default');
    expect(response.status).toBe(200);
    const renewed = (await response.json()) as { defaultToken: string };
    expect(Object.keys(renewed)).toEqual(['defaultToken']);
    expect(await opens(before)).toBe(401);
    expect(await opens(renewed.defaultToken)).toBe(200);
    expect((await joan.list()).defaultToken).toBe(renewed.defaultToken);
  });

  test('the default token can be renewed before it was ever read, and by two requests at once', async () => {
    const eve = await person('eve');
    const answers = await Promise.all(Array.from({ length: 4 }, () => eve.call('PUT', '/me/access-tokens/default')));
    const values = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { defaultToken: string }).defaultToken),
    );
    const { defaultToken } = await eve.list();
    expect(values).toContain(defaultToken);
    const statuses = await Promise.all(values.map(opens));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  test('a deleted token is refused at once, and gone', async () => {
    const hedy = await person('hedy');
    const { id, value } = await hedy.create({ name: 'old' });
    expect(await opens(value)).toBe(200);
    const response = await hedy.call('DELETE', `/me/access-tokens/${id}`);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(await opens(value)).toBe(401);
    expect((await server.call('POST', '/authorize', value)).status).toBe(401);
    expect((await hedy.list()).accessTokens).toEqual([]);
    expect((await hedy.call('DELETE', `/me/access-tokens/${id}`)).status).toBe(404);
  });

  test('the token of somebody else is not found, and stays', async () => {
    const mary = await person('mary');
    const ann = await person('ann');
    const { id, value } = await mary.create({ name: 'hers' });
    for (const other of [id, id.toUpperCase(), 'no-uuid', '%00', '01a1fd32-d765-71ab-ba39-25ede922012b']) {
      const response = await ann.call('DELETE', `/me/access-tokens/${other}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ type: expect.stringMatching(/\/not-found$/) });
    }
    expect(await opens(value)).toBe(200);
    expect((await mary.call('DELETE', `/me/access-tokens/${id.toUpperCase()}`)).status).toBe(204);
  });

  test.each(PATHS)('%s %s needs a login session: 403 with a token, 401 with nothing', async (method, path, body) => {
    const name = `session-${method}`.toLowerCase();
    const user = await person(name);
    const { defaultToken } = await user.list();
    const refused = await server.call(method, path, defaultToken, body);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ type: expect.stringMatching(/\/login-session-required$/) });
    const bearer = { authorization: `Bearer ${defaultToken}` };
    expect((await server.call(method, path, null, body, bearer)).status).toBe(403);
    expect((await server.call(method, path, null, body)).status).toBe(401);
    expect((await user.list()).defaultToken).toBe(defaultToken);
  });

  test.each([
    [{}, '/name'],
    [{ name: '' }, '/name'],
    [{ name: null }, '/name'],
    [{ name: 7 }, '/name'],
    [{ name: 'x'.repeat(201) }, '/name'],
    [{ name: 'a\0b' }, '/name'],
    [{ name: 'x', expiresAt: '2026-02-30' }, '/expiresAt'],
    [{ name: 'x', expiresAt: '2001-01-01' }, '/expiresAt'],
    [{ name: 'x', expiresAt: '2999-1-1' }, '/expiresAt'],
    [{ name: 'x', expiresAt: '2999-01-01T00:00:00Z' }, '/expiresAt'],
    [{ name: 'x', expiresAt: '' }, '/expiresAt'],
    [{ name: 'x', expiresAt: 20_990_101 }, '/expiresAt'],
    [{ name: 'x', scope: 'all' }, '/scope'],
    [['x'], ''],
    [null, ''],
  ])('%j is refused with 400 and the pointer', async (body, pointer) => {
    const user = await someone();
    const response = await user.call('POST', '/me/access-tokens', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ status: 400, errors: [{ pointer }] });
  });

  test.each(['', '{', '{"name":'])('the body %j is refused with 400', async (text) => {
    const user = await someone();
    const response = await fetch(`${server.platform.addresses.api}/me/access-tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.session}`, 'content-type': 'application/json' },
      body: text,
    });
    expect(response.status).toBe(400);
  });

  test('names of 200 characters, of any script, are kept as they are', async () => {
    const user = await person('writer');
    for (const name of ['x'.repeat(200), ' 量子 🚀 ', "'; drop table users; --"]) {
      await user.create({ name });
      expect((await user.list()).accessTokens[0]?.name).toBe(name);
    }
  });

  test('under an Idempotency-Key one token is made, and its value is not given again', async () => {
    const user = await person('retrying');
    const key = { 'idempotency-key': 'once' };
    const first = await user.call('POST', '/me/access-tokens', { name: 'ci' }, key);
    const again = await user.call('POST', '/me/access-tokens', { name: 'ci' }, key);
    const other = await user.call('POST', '/me/access-tokens', { name: 'another' }, key);
    expect([first.status, again.status, other.status]).toEqual([200, 200, 422]);
    const { value, id } = (await first.json()) as Token;
    expect(value).toMatch(/^ket_pat_/);
    expect(await again.json()).toMatchObject({ id, value: null });
    expect((await user.list()).accessTokens).toHaveLength(1);
    const kept = await server.platform.database.read.selectFrom('idempotency_keys').selectAll().execute();
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain(value);
  });

  test('no value of a token is stored in clear', async () => {
    const user = await person('resting');
    const { value } = await user.create({ name: 'x' });
    const { defaultToken } = await user.list();
    const stored = JSON.stringify(
      await server.platform.database.read.selectFrom('access_tokens').selectAll().execute(),
    );
    expect(stored).not.toContain(value);
    expect(stored).not.toContain(defaultToken);
    const rows = await server.platform.database.read
      .selectFrom('access_tokens')
      .select(['is_default', 'sealed_value'])
      .where('user_id', '=', user.id)
      .execute();
    expect(rows.filter((row) => row.sealed_value !== null)).toMatchObject([{ is_default: 1 }]);
  });

  let shared: Promise<{ session: string; call: Awaited<ReturnType<typeof person>>['call'] }> | null = null;
  /** One user for the tests that leave no trace. */
  function someone() {
    shared ??= person('someone').then(async ({ call }) => ({
      call,
      session: (await server.signIn('someone')).access_token,
    }));
    return shared;
  }
});

describe.each(databases())('the time of tokens on $name', ({ open }) => {
  test('a token is valid through the end of its day, UTC, and not a moment longer', async () => {
    let now = Date.now();
    const server = await startTestAccounts(open, { now: () => now });
    onTestFinished(() => server.close());
    await server.addUser('ada');
    const { access_token } = await server.signIn('ada');
    const today = new Date(now).toISOString().slice(0, 10);
    const response = await server.call('POST', '/me/access-tokens', access_token, { name: 'today', expiresAt: today });
    expect(response.status).toBe(200);
    const { value } = (await response.json()) as Token;
    const midnight = Date.parse(`${today}T00:00:00Z`) + 86_400_000;
    now = midnight - 1;
    expect((await server.call('GET', '/me', value)).status).toBe(200);
    expect((await server.call('POST', '/authorize', value)).status).toBe(200);
    now = midnight;
    expect((await server.call('GET', '/me', value)).status).toBe(401);
    expect((await server.call('POST', '/authorize', value)).status).toBe(401);
  });

  test('a day ends for new tokens when it ends in UTC', async () => {
    const day = new Date().toISOString().slice(0, 10);
    const midnight = Date.parse(`${day}T00:00:00Z`);
    let now = Date.now();
    const server = await startTestAccounts(open, { now: () => now });
    onTestFinished(() => server.close());
    await server.addUser('ada');
    const { access_token } = await server.signIn('ada');
    const yesterday = new Date(midnight - 1).toISOString().slice(0, 10);
    const create = () => server.call('POST', '/me/access-tokens', access_token, { name: 'x', expiresAt: yesterday });
    now = midnight - 1;
    expect((await create()).status).toBe(200);
    now = midnight;
    const refused = await create();
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ errors: [{ pointer: '/expiresAt' }] });
  });

  test('the last use is shown at once, and written down when the service closes', async () => {
    let later = 0;
    const server = await startTestAccounts(open, { now: () => Date.now() + later });
    onTestFinished(() => server.close());
    await server.addUser('ada');
    const { access_token } = await server.signIn('ada');
    const created = await server.call('POST', '/me/access-tokens', access_token, { name: 'x' });
    const { id, value } = (await created.json()) as Token;
    const usedAt = async () => {
      const list = (await (await server.call('GET', '/me/access-tokens', access_token)).json()) as Tokens;
      return list.accessTokens[0]?.usedAt;
    };
    expect(await usedAt()).toBeNull();
    await server.call('GET', '/me', value);
    expect(await usedAt()).not.toBeNull();
    later = 5_000;
    await server.call('GET', '/me', value);
    const shown = await usedAt();
    await server.accounts.close();
    const row = await server.platform.database.read
      .selectFrom('access_tokens')
      .select('used_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(new Date(row.used_at ?? 0).toISOString().slice(0, 19).replace('T', ' ')).toBe(shown);
  });
});
