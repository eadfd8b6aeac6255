import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { PASSWORD, startTestAccounts, type TestAccounts, type TestSession } from '../../../testing/accounts.ts';
import { databases } from '../../../testing/databases.ts';
import { createEmbeddedIdentity } from '../index.ts';
import { purgeOidcRecords } from '../base/oidc-records.ts';

const MINUTES = 60 * 1000;

describe.each(databases())('the token endpoint on $name', ({ open }) => {
  let server: TestAccounts;
  beforeAll(async () => {
    server = await startTestAccounts(open);
  });
  afterAll(() => server.close());

  const password = (username: string, secret: string, more: Record<string, string> = {}): Promise<Response> =>
    server.token({ grant_type: 'password', username, password: secret, ...more });
  const refresh = (session: TestSession): Promise<Response> =>
    server.token({ grant_type: 'refresh_token', refresh_token: session.refresh_token });

  test('the password grant opens the platform interface', async () => {
    const { id } = await server.addUser('ada');
    const response = await password('ada', PASSWORD, { scope: 'openid profile' });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const session = (await response.json()) as TestSession;
    expect(session).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'profile' });
    const me = await server.call('GET', '/me', session.access_token);
    expect(me.status).toBe(200);
    expect(await me.json()).toMatchObject({ id, username: 'ada' });
  });

  test.each(['grace@example.org', 'GRACE', ' Grace@Example.org '])('%j is a name of grace', async (name) => {
    if (!(await exists(server, 'grace'))) await server.addUser('grace');
    expect((await password(name, PASSWORD)).status).toBe(200);
  });

  test('a wrong password, an unknown name and an account that is switched off are answered alike', async () => {
    await server.addUser('known');
    const { id } = await server.addUser('switched-off');
    await switchOff(server, id);
    const answers = await Promise.all([
      password('known', 'wrong'),
      password('nobody', 'wrong'),
      password('switched-off', PASSWORD),
      password('no\0body', 'wrong'),
    ]);
    const seen = await Promise.all(answers.map(async (answer) => [answer.status, shown(answer), await answer.text()]));
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(seen[0]?.[0]).toBe(400);
    expect(JSON.parse(String(seen[0]?.[2]))).toEqual({
      error: 'invalid_grant',
      error_description: 'username or password is wrong',
    });
  });

  test.each([
    [{ grant_type: 'password' }, 400, 'invalid_request'],
    [{ grant_type: 'password', username: 'x', password: 'y', scope: 'admin' }, 400, 'invalid_scope'],
    [{ grant_type: 'password', username: 'x', password: 'y', resource: 'https://else.where' }, 400, 'invalid_target'],
    [{ grant_type: 'password', username: 'x', password: 'y', client_id: 'other' }, 401, 'invalid_client'],
    [{ grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
    [{ grant_type: 'refresh_token', refresh_token: 'made-up' }, 400, 'invalid_grant'],
    [
      { grant_type: 'authorization_code', code: 'made-up', redirect_uri: 'http://localhost/callback' },
      400,
      'invalid_grant',
    ],
  ])('%j is answered with %i %s', async (form: Record<string, string>, status, error) => {
    const response = await server.token(form);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error });
  });

  test('a refresh token is good for one use and is replaced', async () => {
    await server.addUser('rotating');
    const first = await server.signIn('rotating');
    const second = await refreshed(refresh(first));
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await server.call('GET', '/me', second.access_token)).status).toBe(200);
    expect((await refresh(second)).status).toBe(200);
  });

  test('a refresh token that is used a second time ends the session, also for who used it first', async () => {
    await server.addUser('stolen');
    const first = await server.signIn('stolen');
    const second = await refreshed(refresh(first));
    const other = await server.signIn('stolen');
    expect(await error(refresh(first))).toBe('invalid_grant');
    expect(await error(refresh(second))).toBe('invalid_grant');
    expect((await refresh(other)).status).toBe(200);
  });

  test('of two refreshes at once not both go on', async () => {
    await server.addUser('racing');
    for (let round = 0; round < 5; round += 1) {
      const session = await server.signIn('racing');
      const answers = await Promise.all([refresh(session), refresh(session)]);
      const winners = answers.filter((answer) => answer.ok);
      expect(winners.length).toBeLessThanOrEqual(1);
      for (const winner of winners) {
        expect(await error(refresh((await winner.json()) as TestSession))).toBe('invalid_grant');
      }
    }
  });

  test('a session that is revoked is not refreshed', async () => {
    await server.addUser('leaving');
    const session = await server.signIn('leaving');
    const body = new URLSearchParams({ client_id: 'kethub', token: session.refresh_token });
    const revoked = await fetch(`${server.platform.addresses.auth}/revoke`, { method: 'POST', body });
    expect(revoked.status).toBe(200);
    expect(await error(refresh(session))).toBe('invalid_grant');
  });

  test('an account that is switched off or gone refreshes nothing and opens nothing', async () => {
    const off = await server.addUser('off-later');
    const gone = await server.addUser('gone-later');
    const sessions = [await server.signIn('off-later'), await server.signIn('gone-later')] as const;
    await switchOff(server, off.id);
    await server.identity.delete(gone.id);
    for (const session of sessions) expect(await error(refresh(session))).toBe('invalid_grant');
    expect((await server.call('GET', '/me', sessions[0].access_token)).status).toBe(403);
    expect((await server.call('GET', '/me', sessions[1].access_token)).status).toBe(401);
  });

  test('discovery leads to the endpoints and to public keys that verify the access token', async () => {
    await server.addUser('verified');
    const { auth, api } = server.platform.addresses;
    const found = await fetch(`${auth}/.well-known/openid-configuration`);
    const document = (await found.json()) as { jwks_uri: string };
    expect(document).toMatchObject({
      issuer: auth,
      token_endpoint: `${auth}/token`,
      authorization_endpoint: `${auth}/authorize`,
      grant_types_supported: expect.arrayContaining(['password', 'refresh_token', 'authorization_code']),
      code_challenge_methods_supported: ['S256'],
    });
    const keys = await (await fetch(document.jwks_uri)).json();
    expect(keys).toEqual({ keys: [expect.not.objectContaining({ d: expect.anything() })] });
    const { access_token } = await server.signIn('verified');
    const jwks = createRemoteJWKSet(new URL(document.jwks_uri), { timeoutDuration: 30_000 });
    await jwtVerify(access_token, jwks, { issuer: auth, audience: api, typ: 'at+jwt' });
  });

  test('a request that names another host is still answered with the configured addresses', async () => {
    const response = await server.app.inject({
      url: '/auth/.well-known/openid-configuration',
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    });
    expect(response.json()).toMatchObject({ issuer: server.platform.addresses.auth });
    expect(response.body).not.toContain('evil.example');
  });

  test('a second process on the same database has the same keys', async () => {
    await server.addUser('everywhere');
    const { access_token } = await server.signIn('everywhere');
    const database = await server.platform.testDatabase.again();
    const second = await createEmbeddedIdentity({ ...server.platform, database });
    expect(await second.verify(access_token)).toEqual(await server.identity.verify(access_token));
    expect(await second.verify(access_token)).not.toBeNull();
    await second.close();
    await database.close();
  });

  test('passwords, refresh tokens and private keys are not stored in clear', async () => {
    await server.addUser('resting');
    const session = await server.signIn('resting');
    const tables = ['identities', 'oidc_records', 'signing_keys'] as const;
    const rows = await Promise.all(
      tables.map((table) => server.platform.database.read.selectFrom(table).selectAll().execute()),
    );
    const stored = JSON.stringify(rows);
    for (const secret of [PASSWORD, session.refresh_token, session.access_token, '"kty"', 'accountId']) {
      expect(stored).not.toContain(secret);
    }
  });
});

test.each(databases())('guessing passwords is slowed down, and nobody stays blocked, on $name', async ({ open }) => {
  let later = 0;
  const server = await startTestAccounts(open, { now: () => Date.now() + later });
  onTestFinished(() => server.close());
  await server.addUser('ada');
  const guess = (secret: string) => server.token({ grant_type: 'password', username: 'ada', password: secret });
  for (let round = 0; round < 10; round += 1) expect((await guess('wrong')).status).toBe(400);
  const refused = await guess(PASSWORD);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ error: 'slow_down' });
  later = 5 * MINUTES + 1;
  expect((await guess(PASSWORD)).status).toBe(200);
});

test.each(databases())('sessions that have ended leave no records, on $name', async ({ open }) => {
  let later = 0;
  const server = await startTestAccounts(open, { now: () => Date.now() + later });
  onTestFinished(() => server.close());
  await server.addUser('ada');
  const { refresh_token } = await server.signIn('ada');
  expect(await purgeOidcRecords(server.platform)).toBe(0);
  expect((await server.token({ grant_type: 'refresh_token', refresh_token })).status).toBe(200);
  later = 14 * 24 * 60 * MINUTES + 1_000;
  expect(await purgeOidcRecords(server.platform)).toBe(3);
  expect(await server.platform.database.read.selectFrom('oidc_records').selectAll().execute()).toEqual([]);
});

async function exists({ platform }: TestAccounts, username: string): Promise<boolean> {
  const { read } = platform.database;
  const row = await read.selectFrom('identities').select('id').where('username', '=', username).executeTakeFirst();
  return row !== undefined;
}

async function switchOff({ platform }: TestAccounts, id: string): Promise<void> {
  await platform.database.write((transaction) =>
    transaction.updateTable('identities').set({ enabled: 0 }).where('id', '=', id).execute(),
  );
}

function shown(response: Response): [string, string][] {
  return [...response.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
}

async function refreshed(response: Promise<Response>): Promise<TestSession> {
  const answer = await response;
  expect(answer.status).toBe(200);
  return (await answer.json()) as TestSession;
}

async function error(response: Promise<Response>): Promise<unknown> {
  return ((await (await response).json()) as { error?: unknown }).error;
}
