import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IdentityProviderUnavailable } from '../identity/index.ts';
import { catalogs, startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';
import { createAccounts } from './index.ts';
import { nameProvider } from '../../catalog/marketplace/index.ts';

describe.each(databases())('GET /me and who is admitted on $name', ({ open }) => {
  let server: TestAccounts;
  beforeAll(async () => {
    server = await startTestAccounts(open);
  });
  afterAll(() => server.close());

  const users = () => server.platform.database.read.selectFrom('users').selectAll().execute();

  test('the first call creates the record from the identity provider', async () => {
    const { id } = await server.addUser('ada');
    const { access_token } = await server.signIn('ada');
    expect(await users()).toEqual([]);
    const response = await server.call('GET', '/me', access_token);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      id,
      username: 'ada',
      email: 'ada@example.org',
      firstname: 'Ada',
      lastname: 'Lovelace',
      currentPosition: null,
      homepage: null,
      about: null,
    });
    expect(await users()).toMatchObject([{ id, username: 'ada' }]);
  });

  test('first calls that race create one record', async () => {
    const { id } = await server.addUser('racing');
    const { access_token } = await server.signIn('racing');
    const answers = await Promise.all(Array.from({ length: 8 }, () => server.call('GET', '/me', access_token)));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(bodies).size).toBe(1);
    expect((await users()).filter((user) => user.id === id)).toHaveLength(1);
  });

  test('what the identity provider says now is shown, what the user wrote stays', async () => {
    const { id } = await server.addUser('renamed');
    const { access_token } = await server.signIn('renamed');
    const first = await server.call('GET', '/me', access_token);
    const { database } = server.platform;
    await database.write(async (transaction) => {
      await transaction.updateTable('users').set({ about: 'Hello' }).where('id', '=', id).execute();
      await transaction.updateTable('identities').set({ lastname: 'King' }).where('id', '=', id).execute();
    });
    const second = await server.call('GET', '/me', access_token);
    expect(await second.json()).toMatchObject({ firstname: 'Ada', lastname: 'King', about: 'Hello' });
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'));
  });

  test('an unchanged profile is not sent twice', async () => {
    await server.addUser('cached');
    const { access_token } = await server.signIn('cached');
    const first = await server.call('GET', '/me', access_token);
    const etag = first.headers.get('etag') ?? '';
    const second = await server.call('GET', '/me', access_token, undefined, { 'if-none-match': etag });
    expect(second.status).toBe(304);
    expect(await second.text()).toBe('');
  });

  test('without credentials, with both, or with a scheme of somebody else the caller is unknown', async () => {
    await server.addUser('twofold');
    const { access_token } = await server.signIn('twofold');
    for (const headers of [
      {},
      { authorization: 'Basic YTpi' },
      { authorization: 'Bearer' },
      { 'x-auth-token': '' },
      { authorization: `Bearer ${access_token}`, 'x-auth-token': 'ket_pat_x' },
    ]) {
      const response = await server.call('GET', '/me', null, undefined, { ...headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="Kethub"/);
      expect(await response.json()).toMatchObject({ title: 'Not authenticated', status: 401, instance: '/api/me' });
    }
  });

  test.each([
    ['pending', { status: 'PENDING' }],
    ['rejected', { status: 'REJECTED' }],
    ['unverified', { email_verified: 0 }],
    ['disabled', { enabled: 0 }],
  ] as const)('a user who is %s is known and refused: 403, with either credential, at once', async (name, change) => {
    const { id } = await server.addUser(name);
    const { access_token } = await server.signIn(name);
    const { defaultToken } = (await (await server.call('GET', '/me/access-tokens', access_token)).json()) as {
      defaultToken: string;
    };
    expect((await server.call('GET', '/me', defaultToken)).status).toBe(200);
    await server.platform.database.write((transaction) =>
      transaction.updateTable('identities').set(change).where('id', '=', id).execute(),
    );
    for (const credential of [access_token, defaultToken]) {
      const response = await server.call('GET', '/me', credential);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ type: expect.stringMatching(/\/not-approved$/) });
    }
  });

  test('a personal access token is taken in X-Auth-Token and as a bearer token', async () => {
    const { id } = await server.addUser('tokens');
    const { access_token } = await server.signIn('tokens');
    const list = await server.call('GET', '/me/access-tokens', access_token);
    const { defaultToken } = (await list.json()) as { defaultToken: string };
    for (const headers of [{ 'x-auth-token': defaultToken }, { authorization: `bearer ${defaultToken}` }]) {
      const response = await server.call('GET', '/me', null, undefined, { ...headers });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ id });
    }
  });

  test('an organization that does not exist is an error, not a personal request', async () => {
    await server.addUser('member');
    const { access_token } = await server.signIn('member');
    const headers = { 'x-organizationid': '01a1fd32-d765-71ab-ba39-25ede922012b' };
    const response = await server.call('GET', '/me', access_token, undefined, headers);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ type: expect.stringMatching(/\/unknown-organization$/) });
  });

  test('an identity provider that does not answer is 503, never a yes or a no', async () => {
    const { id } = await server.addUser('unlucky');
    const { access_token } = await server.signIn('unlucky');
    const list = await server.call('GET', '/me/access-tokens', access_token);
    const { defaultToken } = (await list.json()) as { defaultToken: string };
    const down = () => Promise.reject(new IdentityProviderUnavailable(new Error('down')));
    const verify = () => Promise.resolve({ subject: id });
    const accounts = createAccounts(
      server.platform,
      { ...server.identity, verify, find: down },
      catalogs,
      nameProvider,
    );
    await expect(accounts.authorize(defaultToken)).rejects.toMatchObject({ status: 503 });
    await accounts.close();
  });
});
