import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createRawToken } from '../../foundation/storage/index.ts';
import { startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';

describe.each(databases())('POST /authorize on $name', ({ open }) => {
  let server: TestAccounts;
  let userId: string;
  let session: string;
  let value: string;
  beforeAll(async () => {
    server = await startTestAccounts(open);
    userId = (await server.addUser('ada')).id;
    session = (await server.signIn('ada')).access_token;
    const created = await server.call('POST', '/me/access-tokens', session, { name: 'ci', expiresAt: '2999-12-31' });
    value = ((await created.json()) as { value: string }).value;
  });
  afterAll(() => server.close());

  const authorize = (headers: Record<string, string>): Promise<Response> =>
    server.call('POST', '/authorize', null, undefined, headers);

  test('a valid token is resolved into its user and its metadata', async () => {
    const response = await authorize({ 'x-auth-token': value });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      id: userId,
      accessToken: {
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        name: 'ci',
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        usedAt: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        expiresAt: '2999-12-31',
      },
    });
  });

  test('the default token is resolved as well', async () => {
    const list = await server.call('GET', '/me/access-tokens', session);
    const { defaultToken } = (await list.json()) as { defaultToken: string };
    const response = await authorize({ 'x-auth-token': defaultToken });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id: userId, accessToken: { expiresAt: null } });
  });

  test('missing, malformed and unknown tokens are 401, and no other credential helps', async () => {
    const broken = value.slice(0, -1) + (value.endsWith('0') ? '1' : '0');
    for (const headers of [
      {},
      { 'x-auth-token': '' },
      { 'x-auth-token': 'ket_pat_' },
      { 'x-auth-token': broken },
      { 'x-auth-token': createRawToken('ket_pat_') },
      { 'x-auth-token': `${value}, ${value}` },
      { authorization: `Bearer ${session}` },
      { authorization: `Bearer ${value}` },
    ]) {
      const response = await authorize({ ...headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ type: expect.stringMatching(/\/not-authenticated$/) });
    }
  });

  test('a valid token of a user who may not authenticate is 403, also when the user is gone', async () => {
    const { id } = await server.addUser('leaving');
    const list = await server.call('GET', '/me/access-tokens', (await server.signIn('leaving')).access_token);
    const { defaultToken } = (await list.json()) as { defaultToken: string };
    expect((await authorize({ 'x-auth-token': defaultToken })).status).toBe(200);
    await server.platform.database.write((transaction) =>
      transaction.updateTable('identities').set({ status: 'REJECTED' }).where('id', '=', id).execute(),
    );
    const response = await authorize({ 'x-auth-token': defaultToken });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ type: expect.stringMatching(/\/not-approved$/) });
    await server.identity.delete(id);
    expect((await authorize({ 'x-auth-token': defaultToken })).status).toBe(403);
  });

  test('a token is compared in constant time, and one with a typing error is not even hashed to be looked up', async () => {
    const compare = vi.spyOn(crypto, 'timingSafeEqual');
    const digest = vi.spyOn(crypto, 'hash');
    syncBuiltinESMExports();
    try {
      await authorize({ 'x-auth-token': value });
      expect(compare).toHaveBeenCalledTimes(1);
      expect(digest).toHaveBeenCalled();
      digest.mockClear();
      await authorize({ 'x-auth-token': value.slice(0, -1) + (value.endsWith('0') ? '1' : '0') });
      expect(digest).not.toHaveBeenCalled();
    } finally {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    }
  });
});
