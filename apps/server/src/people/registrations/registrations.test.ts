import type { Registration } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestAccounts, PASSWORD, type TestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';

const UNKNOWN = '01a1fd32-d765-71ab-ba39-25ede922012b';

describe.each(databases())('administrators on $name', ({ open }) => {
  let server: TestAccounts;
  let boss: string;
  let bossId: string;
  let number = 0;

  beforeAll(async () => {
    server = await startTestAccounts(open, { settings: { KETHUB_ADMINISTRATORS: 'Boss, other-boss' } });
    bossId = (await server.addUser('boss')).id;
    boss = (await server.signIn('boss')).access_token;
  });
  afterAll(() => server.close());

  const newPerson = (status: Registration['status']) => server.addUser(`person-${++number}`, { status });
  const decide = (id: string, decision: object, headers?: Record<string, string>) =>
    server.call('PATCH', `/registrations/${id}`, boss, decision, headers);
  const registrationOf = async (response: Response) => (await response.json()) as Registration;
  const codeOf = async (response: Response) =>
    ((await response.json()) as { type: string }).type.split('/').at(-1) ?? '';

  test('only administrators: neither strangers nor approved users nor an administrator who is not approved', async () => {
    const { id } = await newPerson('PENDING');
    await server.addUser('ada');
    const { access_token } = await server.signIn('ada');
    await server.addUser('other-boss', { status: 'PENDING' });
    const pending = await server.signIn('other-boss');
    for (const [method, path, body] of [
      ['GET', '/registrations'],
      ['GET', `/registrations/${id}`],
      ['PATCH', `/registrations/${id}`, { status: 'APPROVED' }],
    ] as const) {
      expect((await server.call(method, path, null, body)).status).toBe(401);
      expect(await codeOf(await server.call(method, path, access_token, body))).toBe('not-administrator');
      expect(await codeOf(await server.call(method, path, pending.access_token, body))).toBe('not-approved');
    }
    expect(await server.identity.find(id)).toMatchObject({ status: 'PENDING' });
  });

  test('a personal access token of an administrator will do', async () => {
    const list = await server.call('GET', '/me/access-tokens', boss);
    const { defaultToken } = (await list.json()) as { defaultToken: string };
    expect((await server.call('GET', '/registrations', defaultToken)).status).toBe(200);
  });

  test('a registration is read as the provider knows it, and approved', async () => {
    const { id, username, email } = await newPerson('PENDING');
    const read = await server.call('GET', `/registrations/${id}`, boss);
    expect(await registrationOf(read)).toEqual({
      id,
      username,
      email,
      emailVerified: true,
      firstname: 'Ada',
      lastname: 'Lovelace',
      status: 'PENDING',
      enabled: true,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string,
    });
    const { access_token } = await server.signIn(username);
    expect((await server.call('GET', '/me', access_token)).status).toBe(403);
    const approved = await decide(id, { status: 'APPROVED' });
    expect([approved.status, await registrationOf(approved)]).toMatchObject([200, { id, status: 'APPROVED' }]);
    expect((await server.call('GET', '/me', access_token)).status).toBe(200);
    // A client that lost the answer may repeat the request.
    expect((await decide(id, { status: 'APPROVED' })).status).toBe(200);
  });

  test('who is switched off is noted for the gateways, and not any more when let in again', async () => {
    const { id } = await newPerson('APPROVED');
    const noted = async () =>
      (await server.platform.database.read.selectFrom('blocked_users').select('user_id').execute()).some(
        ({ user_id }) => user_id === id,
      );
    for (const enabled of [false, true, false]) {
      expect((await decide(id, { enabled })).status).toBe(200);
      expect(await noted()).toBe(!enabled);
    }
  });

  test.each([{ status: 'REJECTED' }, { enabled: false }])(
    'with %j sign-in, open sessions, refresh tokens and access tokens are refused at once',
    async (decision) => {
      const { id, username } = await newPerson('APPROVED');
      const session = await server.signIn(username);
      const list = await server.call('GET', '/me/access-tokens', session.access_token);
      const { defaultToken } = (await list.json()) as { defaultToken: string };
      expect((await server.call('GET', '/me', defaultToken)).status).toBe(200);
      // An approved registration cannot be rejected. A rejected person may still have tokens, if approved by hand
      // before.
      if (decision.status) await setStatus(id, 'PENDING');
      expect((await decide(id, decision)).status).toBe(200);
      expect((await server.call('GET', '/me', session.access_token)).status).toBe(403);
      expect((await server.call('GET', '/me', defaultToken)).status).toBe(403);
      expect((await server.call('POST', '/authorize', defaultToken)).status).toBe(403);
      const refreshed = await server.token({ grant_type: 'refresh_token', refresh_token: session.refresh_token });
      expect([refreshed.status, await refreshed.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
      const again = await server.token({ grant_type: 'password', username, password: PASSWORD });
      expect([again.status, await again.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
      expect((await decide(id, { status: 'APPROVED', enabled: true })).status).toBe(200);
      await server.signIn(username);
      expect((await server.call('GET', '/me', defaultToken)).status).toBe(200);
    },
  );

  test('what is not possible is refused and changes nothing', async () => {
    const { id } = await newPerson('APPROVED');
    expect(await codeOf(await decide(id, { status: 'REJECTED' }))).toBe('conflict');
    expect(await server.identity.find(id)).toMatchObject({ status: 'APPROVED', enabled: true });
    for (const wrong of [{}, { status: 'PENDING' }, { status: 'approved' }, { enabled: 1 }, { email: 'x@example.org' }])
      expect([wrong, (await decide(id, wrong)).status]).toEqual([wrong, 400]);
    for (const nobody of [UNKNOWN, 'nobody', '%00']) {
      expect((await decide(nobody, { status: 'APPROVED' })).status).toBe(404);
      expect((await server.call('GET', `/registrations/${nobody}`, boss)).status).toBe(404);
    }
    expect(await codeOf(await decide(bossId, { enabled: false }))).toBe('conflict');
    expect((await server.call('GET', '/me', boss)).status).toBe(200);
  });

  test('of two decisions about one state, one is made', async () => {
    const { administration } = server.identity;
    for (let round = 0; round < 5; round++) {
      const { id } = await newPerson('PENDING');
      const from = { status: 'PENDING', enabled: true } as const;
      const outcomes = await Promise.allSettled([
        administration.change(id, from, { status: 'APPROVED', enabled: true }),
        administration.change(id, from, { status: 'REJECTED', enabled: true }),
      ]);
      const [won] = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(outcomes.find((one) => one.status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } });
      expect(await administration.find(id)).toEqual(won);
    }
  });

  test('with If-Match nobody overrules a decision that they have not seen', async () => {
    const { id } = await newPerson('PENDING');
    const { headers } = await server.call('GET', `/registrations/${id}`, boss);
    const seen = { 'if-match': headers.get('etag') ?? '' };
    expect((await decide(id, { status: 'REJECTED' }, seen)).status).toBe(200);
    expect((await decide(id, { status: 'APPROVED' }, seen)).status).toBe(412);
    expect(await server.identity.find(id)).toMatchObject({ status: 'REJECTED' });
  });

  test('the list has the newest first, by status, in pages, or the one with an address', async () => {
    const rejected = [await newPerson('REJECTED'), await newPerson('REJECTED'), await newPerson('REJECTED')];
    const all = await server.call('GET', '/registrations?status=REJECTED', boss);
    const listed = ((await all.json()) as Registration[]).map(({ id }) => id);
    expect(listed.slice(0, 3)).toEqual(rejected.map(({ id }) => id).toReversed());
    const paged: string[] = [];
    let next: string | undefined = `${server.platform.addresses.api}/registrations?status=REJECTED&limit=2`;
    while (next) {
      const page = await fetch(next, { headers: { authorization: `Bearer ${boss}` } });
      paged.push(...((await page.json()) as Registration[]).map(({ id }) => id));
      next = /<(.+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(paged).toEqual(listed);
    const found = await server.call('GET', `/registrations?email=${rejected[0]?.email.toUpperCase()}`, boss);
    expect(await found.json()).toMatchObject([{ id: rejected[0]?.id }]);
    expect(await (await server.call('GET', '/registrations?email=nobody@example.org', boss)).json()).toEqual([]);
    for (const query of ['status=NONE', 'limit=0', 'cursor=%00', 'email=x'])
      expect((await server.call('GET', `/registrations?${query}`, boss)).status).toBe(400);
  });

  const setStatus = (id: string, status: Registration['status']) =>
    server.platform.database.write((transaction) =>
      transaction.updateTable('identities').set({ status }).where('id', '=', id).execute(),
    );
});
