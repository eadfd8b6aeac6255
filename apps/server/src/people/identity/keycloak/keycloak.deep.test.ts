import { SignJWT, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlite } from '../../../testing/databases.ts';
import { createTestRealm, hasKeycloak, type TestRealm } from '../../../testing/keycloak.ts';
import { startTestKethub } from '../../../testing/kethub.ts';
import { PASSWORD, startRealmIdentity, type RealmIdentity } from '../../../testing/realm-identity.ts';
import { isApproved, type IdentityService } from '../identity-provider.ts';

describe.skipIf(!hasKeycloak)('Keycloak as the identity provider', () => {
  let on: RealmIdentity;
  let realm: TestRealm;
  let identity: IdentityService;
  beforeAll(async () => {
    on = await startRealmIdentity();
    ({ realm, identity } = on);
  });
  afterAll(() => on.close());

  describe('access tokens', () => {
    test('one from signing in names the subject', async () => {
      const { id, username } = await on.addUser();
      expect(await identity.verify((await on.signIn(username)).access_token)).toEqual({ subject: id });
    });

    test('identity and refresh tokens are refused, though they have the same key and audience', async () => {
      const { id_token, refresh_token } = await on.signIn((await on.addUser()).username);
      expect(await identity.verify(id_token)).toBeNull();
      expect(await identity.verify(refresh_token)).toBeNull();
    });

    test('one for another audience, and one of another client, are refused', async () => {
      const { username } = await on.addUser();
      const { access_token } = await on.signIn(username);
      expect(await on.connect({ KETHUB_OIDC_AUDIENCE: 'elsewhere' }).verify(access_token)).toBeNull();
      const other = await on.signIn(username, { client_id: 'admin-cli' });
      expect(await identity.verify(other.access_token)).toBeNull();
    });

    test('one of another realm of the same server is refused', async () => {
      const other = await createTestRealm();
      try {
        const { access_token } = await on.signIn((await on.addUser()).username);
        expect(await on.connect(other.settings).verify(access_token)).toBeNull();
      } finally {
        await other.remove();
      }
    });

    test('one that has expired is refused', async () => {
      const { access_token } = await on.signIn((await on.addUser()).username);
      try {
        on.later = 24 * 3_600 * 1000;
        expect(await identity.verify(access_token)).toBeNull();
      } finally {
        on.later = 0;
      }
    });

    test.each(['RS256', 'ES256'])('one signed %s by somebody else is refused', async (alg) => {
      const { privateKey } = await generateKeyPair(alg);
      const token = await new SignJWT({ scope: 'profile' })
        .setProtectedHeader({ alg, typ: 'at+jwt', kid: await publishedKey() })
        .setIssuer(realm.issuer)
        .setAudience('kethub')
        .setSubject((await on.addUser()).id)
        .setExpirationTime('1h')
        .sign(privateKey);
      expect(await identity.verify(token)).toBeNull();
    });

    test.each(['x', 'a.b.c', 'ey.ey.ey', `${encode({ alg: 'none' })}.${encode({ sub: 'x' })}.`])(
      '%s is refused',
      async (token) => expect(await identity.verify(token)).toBeNull(),
    );

    async function publishedKey(): Promise<string> {
      const response = await fetch(`${realm.issuer}/protocol/openid-connect/certs`);
      const { keys } = (await response.json()) as { keys: { kid: string; use: string }[] };
      return keys.find(({ use }) => use === 'sig')?.kid ?? '';
    }
  });

  describe('people', () => {
    test('are found as Keycloak knows them', async () => {
      const { id, username } = await on.addUser();
      expect(await on.connect().find(id)).toEqual({
        id,
        username,
        email: `${username}@example.org`,
        emailVerified: true,
        firstname: 'Ada',
        lastname: 'Lovelace',
        status: 'APPROVED',
        enabled: true,
      });
    });

    test.each([
      'nobody',
      '01a1fd32-d765-71ab-ba39-25ede922012b',
      '',
      '.',
      '..',
      'count',
      'profile',
      'a/b',
      '%2e%2e',
      'ä',
      '\0',
    ])('nobody has the id %j', async (id) => {
      expect(await identity.find(id)).toBeNull();
      await identity.delete(id);
      expect(await realm.admin('GET', '')).toMatchObject({ realm: realm.name });
    });

    test('the one behind a service account is not an approved user', async () => {
      const [account] = (await realm.admin('GET', '/users?username=service-account-kethub-admin')) as { id: string }[];
      expect(account && (await realm.admin('GET', `/users/${account.id}`))).toMatchObject({ enabled: true });
      const found = await identity.find(account?.id ?? '');
      expect(found && isApproved(found)).toBe(false);
    });

    test.each([
      ['who registered', { attributes: {} }, { status: 'PENDING' }],
      ['who was rejected', { attributes: { registrationStatus: ['REJECTED'] } }, { status: 'REJECTED' }],
      ['with an unverified address', { emailVerified: false }, { emailVerified: false }],
      ['who was switched off', { enabled: false }, { enabled: false }],
    ])('one %s is not approved, at once for who asks first, after 10 s for who has asked', async (_, changed, seen) => {
      const { id } = await on.addUser();
      const asked = on.connect();
      expect(await asked.find(id)).toMatchObject({ status: 'APPROVED', emailVerified: true, enabled: true });
      await on.change(id, changed);
      const found = await on.connect().find(id);
      expect(found).toMatchObject(seen);
      expect(found && isApproved(found)).toBe(false);
      try {
        on.later = 10_000;
        expect(await asked.find(id)).toEqual(found);
      } finally {
        on.later = 0;
      }
    });

    test('nobody approves themselves: the attribute is not theirs to write', async () => {
      const { id, username } = await on.addUser('PENDING');
      const { access_token } = await on.signIn(username);
      const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
      const own = { username, email: `${username}@example.org`, firstName: 'Augusta', lastName: 'Lovelace' };
      const answer = await fetch(`${realm.issuer}/account`, {
        method: 'POST',
        headers: { ...headers, accept: 'application/json' },
        body: JSON.stringify({ ...own, attributes: { registrationStatus: ['APPROVED'] } }),
      });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ field: 'registrationStatus' });
      expect(await on.connect().find(id)).toMatchObject({ status: 'PENDING' });
    });

    test('one who is deleted is gone at once, and may be deleted again', async () => {
      const { id } = await on.addUser();
      expect(await identity.find(id)).not.toBeNull();
      await identity.delete(id);
      expect(await identity.find(id)).toBeNull();
      await identity.delete(id);
    });

    test('are found by their address, in whatever case, also when they have never been here', async () => {
      const pending = await on.addUser('PENDING');
      expect(await identity.findByEmail(pending.email.toUpperCase())).toEqual(pending);
      for (const nobody of ['nobody@example.org', pending.email.slice(1), '*@example.org', '%@example.org', '*'])
        expect([nobody, await identity.findByEmail(nobody)]).toEqual([nobody, null]);
      await on.change(pending.id, { emailVerified: false });
      expect(await on.connect().findByEmail(pending.email)).toMatchObject({ emailVerified: false });
    });

    test('of several with one address it is the approved one', async () => {
      await realm.admin('PUT', '', { duplicateEmailsAllowed: true, loginWithEmailAllowed: false });
      try {
        const [one, other] = [await on.addUser('PENDING'), await on.addUser('APPROVED')];
        await on.change(one.id, { email: other.email });
        expect(await on.connect().findByEmail(other.email)).toMatchObject({ id: other.id });
      } finally {
        await realm.admin('PUT', '', { duplicateEmailsAllowed: false, loginWithEmailAllowed: true });
      }
    });

    test('are decided about with everything else of them as it was, at once for this process', async () => {
      const { id, email } = await on.addUser('PENDING');
      await on.change(id, { firstName: 'Augusta' });
      const before = (await realm.admin('GET', `/users/${id}`)) as Record<string, unknown>;
      const { administration } = identity;
      expect(await identity.find(id)).toMatchObject({ status: 'PENDING' });
      expect(await identity.findByEmail(email)).toMatchObject({ status: 'PENDING' });
      const pending = { status: 'PENDING', enabled: true } as const;
      const off = { status: 'APPROVED', enabled: false } as const;
      expect(await administration.change(id, pending, off)).toMatchObject({ id, ...off, firstname: 'Augusta' });
      expect(await identity.find(id)).toMatchObject(off);
      expect(await identity.findByEmail(email)).toMatchObject(off);
      expect(await realm.admin('GET', `/users/${id}`)).toEqual({
        ...before,
        enabled: false,
        attributes: { registrationStatus: ['APPROVED'] },
      });
      await expect(administration.change(id, pending, off)).rejects.toMatchObject({ code: 'conflict' });
      expect(await administration.change('01a1fd32-d765-71ab-ba39-25ede922012b', pending, off)).toBeNull();
      expect(await administration.find(id)).toMatchObject({ createdAt: expect.any(Number) as number });
    });

    test('of two decisions about one state one is made, also by two processes', async () => {
      const { id } = await on.addUser('PENDING');
      const from = { status: 'PENDING', enabled: true } as const;
      const outcomes = await Promise.allSettled(
        (['APPROVED', 'REJECTED'] as const).map((status) =>
          on.connect().administration.change(id, from, { status, enabled: true }),
        ),
      );
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const [won] = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(await identity.administration.find(id)).toEqual(won);
    });

    test('are listed by status, those who registered at Keycloak itself among them, in pages', async () => {
      const [one, other] = [await on.addUser('PENDING'), await on.addUser('PENDING')];
      await on.change(one.id, { attributes: {} });
      const { administration } = identity;
      const listed: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await administration.list('PENDING', cursor, 1);
        listed.push(...page.map(({ person }) => person.id));
        cursor = page[0]?.id ?? null;
      } while (cursor !== null);
      expect(listed).toEqual(expect.arrayContaining([one.id, other.id]));
      expect(new Set(listed).size).toBe(listed.length);
      const all = await administration.list(null, null, 1_000);
      expect(all.some(({ person }) => person.username.startsWith('service-account-'))).toBe(false);
      await expect(administration.list(null, 'x', 1)).rejects.toMatchObject({ status: 400 });
    });

    test('a username or an address that is taken is a conflict', async () => {
      const { username, email } = await on.addUser();
      const person = { firstname: 'Eve', lastname: 'Else', password: PASSWORD, status: 'APPROVED' } as const;
      for (const taken of [
        { username, email: 'other@example.org' },
        { username: 'somebody-else', email },
      ]) {
        await expect(identity.createUser({ ...person, ...taken })).rejects.toMatchObject({ code: 'conflict' });
      }
    });
  });

  test('a whole platform on it: sign in, read the profile, and be nobody once deleted', async () => {
    if (!sqlite) throw new Error('No database');
    const platformOnRealm = await startTestKethub(sqlite, realm.settings);
    try {
      const { api, auth } = platformOnRealm.kethub.platform.addresses;
      expect(auth).toBe(realm.issuer);
      const { loginSession } = await platformOnRealm.signIn('grace');
      const call = (method: string, address: string): Promise<Response> =>
        fetch(api + address, { method, headers: { authorization: `Bearer ${loginSession}` } });
      const me = await call('GET', '/me');
      expect(me.status).toBe(200);
      const { id } = (await me.json()) as { id: string };
      expect(await identity.find(id)).toMatchObject({ id, username: 'grace', email: 'grace@example.org' });

      const description = (await (await fetch(`${api}/openapi.json`)).json()) as {
        components: { securitySchemes: { oauth2: { flows: { password: { tokenUrl: string } } } } };
      };
      expect(description.components.securitySchemes.oauth2.flows.password.tokenUrl).toBe(identity.tokenEndpoint);

      await platformOnRealm.kethub.identity.delete(id);
      expect((await call('GET', '/me')).status).toBe(401);
    } finally {
      await platformOnRealm.close();
    }
  });
});

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
