import Fastify from 'fastify';
import { SignJWT, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { databases } from '../../testing/databases.ts';
import { createTestRealm, type TestRealm } from '../../testing/keycloak.ts';
import { startTestKethub } from '../../testing/kethub.ts';
import { startTcpProxy, type TcpProxy } from '../../testing/tcp-proxy.ts';
import { readConfiguration } from '../../config/index.ts';
import { IdentityProviderUnavailable, isApproved, type Identity, type IdentityService } from '../identity-provider.ts';
import { createKeycloakIdentity } from './keycloak.ts';

const PASSWORD = 'correct horse battery staple';
const server = process.env['KETHUB_TEST_KEYCLOAK_URL'];
const [sqlite] = databases;

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
}

describe.skipIf(server === undefined)('Keycloak as the identity provider', () => {
  let realm: TestRealm;
  let platform: TestPlatform;
  let identity: IdentityService;
  let later = 0;
  let number = 0;

  beforeAll(async () => {
    if (server === undefined || !sqlite) throw new Error('No Keycloak to test with');
    realm = await createTestRealm(server);
    platform = await createTestPlatform(sqlite.open, { now: () => Date.now() + later });
    identity = connect();
  });
  afterAll(async () => {
    await platform.close();
    await realm.remove();
  });

  /** One that remembers nothing yet. */
  function connect(changed: Record<string, string> = {}): IdentityService {
    const { keycloak } = readConfiguration({ ...realm.settings, ...changed });
    if (!keycloak) throw new Error('The settings name no Keycloak');
    return createKeycloakIdentity(platform, keycloak);
  }

  function addUser(status: Identity['status'] = 'APPROVED'): Promise<Identity> {
    const username = `user-${++number}`;
    const person = { username, email: `${username}@example.org`, firstname: 'Ada', lastname: 'Lovelace' };
    return identity.createUser({ ...person, password: PASSWORD, status });
  }

  async function signIn(username: string, form: Record<string, string> = {}): Promise<Tokens> {
    const response = await fetch(identity.tokenEndpoint, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'password',
        client_id: 'kethub',
        scope: 'openid profile',
        username,
        password: PASSWORD,
        ...form,
      }),
    });
    if (!response.ok) throw new Error(`Signing in answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Tokens;
  }

  /** Changes a person as the administrator of the realm, who sends the whole. */
  async function change(id: string, changed: object): Promise<void> {
    const user = (await realm.admin('GET', `/users/${id}`)) as object;
    await realm.admin('PUT', `/users/${id}`, { ...user, ...changed });
  }

  describe('access tokens', () => {
    test('one from signing in names the subject', async () => {
      const { id, username } = await addUser();
      expect(await identity.verify((await signIn(username)).access_token)).toEqual({ subject: id });
    });

    test('identity and refresh tokens are refused, though they have the same key and audience', async () => {
      const { id_token, refresh_token } = await signIn((await addUser()).username);
      expect(await identity.verify(id_token)).toBeNull();
      expect(await identity.verify(refresh_token)).toBeNull();
    });

    test('one for another audience, and one of another client, are refused', async () => {
      const { username } = await addUser();
      const { access_token } = await signIn(username);
      expect(await connect({ KETHUB_OIDC_AUDIENCE: 'elsewhere' }).verify(access_token)).toBeNull();
      const other = await signIn(username, { client_id: 'admin-cli' });
      expect(await identity.verify(other.access_token)).toBeNull();
    });

    test('one of another realm of the same server is refused', async () => {
      if (server === undefined) return;
      const other = await createTestRealm(server);
      try {
        const { access_token } = await signIn((await addUser()).username);
        expect(await connect(other.settings).verify(access_token)).toBeNull();
      } finally {
        await other.remove();
      }
    });

    test('one that has expired is refused', async () => {
      const { access_token } = await signIn((await addUser()).username);
      try {
        later = 24 * 3_600 * 1000;
        expect(await identity.verify(access_token)).toBeNull();
      } finally {
        later = 0;
      }
    });

    test.each(['RS256', 'ES256'])('one signed %s by somebody else is refused', async (alg) => {
      const { privateKey } = await generateKeyPair(alg);
      const token = await new SignJWT({ scope: 'profile' })
        .setProtectedHeader({ alg, typ: 'at+jwt', kid: await publishedKey() })
        .setIssuer(realm.issuer)
        .setAudience('kethub')
        .setSubject((await addUser()).id)
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
      const { id, username } = await addUser();
      expect(await connect().find(id)).toEqual({
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
      const { id } = await addUser();
      const asked = connect();
      expect(await asked.find(id)).toMatchObject({ status: 'APPROVED', emailVerified: true, enabled: true });
      await change(id, changed);
      const found = await connect().find(id);
      expect(found).toMatchObject(seen);
      expect(found && isApproved(found)).toBe(false);
      try {
        later = 10_000;
        expect(await asked.find(id)).toEqual(found);
      } finally {
        later = 0;
      }
    });

    test('nobody approves themselves: the attribute is not theirs to write', async () => {
      const { id, username } = await addUser('PENDING');
      const { access_token } = await signIn(username);
      const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
      const own = { username, email: `${username}@example.org`, firstName: 'Augusta', lastName: 'Lovelace' };
      const answer = await fetch(`${realm.issuer}/account`, {
        method: 'POST',
        headers: { ...headers, accept: 'application/json' },
        body: JSON.stringify({ ...own, attributes: { registrationStatus: ['APPROVED'] } }),
      });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ field: 'registrationStatus' });
      expect(await connect().find(id)).toMatchObject({ status: 'PENDING' });
    });

    test('one who is deleted is gone at once, and may be deleted again', async () => {
      const { id } = await addUser();
      expect(await identity.find(id)).not.toBeNull();
      await identity.delete(id);
      expect(await identity.find(id)).toBeNull();
      await identity.delete(id);
    });

    test('are found by their address, in whatever case, also when they have never been here', async () => {
      const pending = await addUser('PENDING');
      expect(await identity.findByEmail(pending.email.toUpperCase())).toEqual(pending);
      for (const nobody of ['nobody@example.org', pending.email.slice(1), '*@example.org', '%@example.org', '*'])
        expect([nobody, await identity.findByEmail(nobody)]).toEqual([nobody, null]);
      await change(pending.id, { emailVerified: false });
      expect(await connect().findByEmail(pending.email)).toMatchObject({ emailVerified: false });
    });

    test('of several with one address it is the approved one', async () => {
      await realm.admin('PUT', '', { duplicateEmailsAllowed: true, loginWithEmailAllowed: false });
      try {
        const [one, other] = [await addUser('PENDING'), await addUser('APPROVED')];
        await change(one.id, { email: other.email });
        expect(await connect().findByEmail(other.email)).toMatchObject({ id: other.id });
      } finally {
        await realm.admin('PUT', '', { duplicateEmailsAllowed: false, loginWithEmailAllowed: true });
      }
    });

    test('are decided about with everything else of them as it was, at once for this process', async () => {
      const { id, email } = await addUser('PENDING');
      await change(id, { firstName: 'Augusta' });
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
      const { id } = await addUser('PENDING');
      const from = { status: 'PENDING', enabled: true } as const;
      const outcomes = await Promise.allSettled(
        (['APPROVED', 'REJECTED'] as const).map((status) =>
          connect().administration.change(id, from, { status, enabled: true }),
        ),
      );
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const [won] = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(await identity.administration.find(id)).toEqual(won);
    });

    test('are listed by status, those who registered at Keycloak itself among them, in pages', async () => {
      const [one, other] = [await addUser('PENDING'), await addUser('PENDING')];
      await change(one.id, { attributes: {} });
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
      const { username, email } = await addUser();
      const person = { firstname: 'Eve', lastname: 'Else', password: PASSWORD, status: 'APPROVED' } as const;
      for (const taken of [
        { username, email: 'other@example.org' },
        { username: 'somebody-else', email },
      ]) {
        await expect(identity.createUser({ ...person, ...taken })).rejects.toMatchObject({ code: 'conflict' });
      }
    });
  });

  describe('what says nothing about a person is never a no', () => {
    let way: TcpProxy;
    let behind: IdentityService;
    let known: Identity;
    let token: string;
    beforeAll(async () => {
      way = await startTcpProxy(new URL(realm.origin));
      known = await addUser();
      // Keycloak issues in the name of the address that it is asked at.
      const issuer = realm.issuer.replace(realm.origin, way.origin);
      const signingIn = await fetch(`${issuer}/protocol/openid-connect/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'password',
          client_id: 'kethub',
          scope: 'profile',
          username: known.username,
          password: PASSWORD,
        }),
      });
      token = ((await signingIn.json()) as Tokens).access_token;
    });
    afterAll(() => way.close());

    async function expectUnavailable(asked: Promise<unknown>): Promise<void> {
      await expect(asked).rejects.toThrow(IdentityProviderUnavailable);
      await expect(asked).rejects.toMatchObject({ status: 503 });
    }
    const issuerBehind = (): string => realm.issuer.replace(realm.origin, way.origin);
    const connectBehind = (): IdentityService => connect({ KETHUB_OIDC_ISSUER: issuerBehind() });

    test.each(['REFUSE', 'SILENT'] as const)('a server that is down (%s), until it is back', async (how) => {
      behind = connectBehind();
      way.behave(how);
      await expectUnavailable(behind.verify(token));
      await expectUnavailable(behind.find(known.id));
      await expectUnavailable(behind.delete(known.id));
      way.behave('FORWARD');
      expect(await behind.verify(token)).toEqual({ subject: known.id });
      expect(await behind.find(known.id)).toMatchObject({ id: known.id });
    });

    test('a server that stays down is left alone for 10 s', async () => {
      behind = connectBehind();
      way.behave('REFUSE');
      for (let one = 0; one < 5; one++) await expectUnavailable(behind.find(known.id));
      const before = way.connections();
      for (let one = 0; one < 20; one++) await expectUnavailable(behind.find(known.id));
      expect(way.connections()).toBe(before);
      way.behave('FORWARD');
      await expectUnavailable(behind.find(known.id));
      try {
        later = 10_000;
        expect(await behind.find(known.id)).toMatchObject({ id: known.id });
      } finally {
        later = 0;
      }
    });

    /** Makes the way slow, and waits until no connection is left from before. */
    async function slowDown(): Promise<void> {
      way.behave('SLOW');
      const reached = (): Promise<boolean> =>
        fetch(issuerBehind())
          .then(({ ok }) => ok)
          .catch(() => false);
      await expect.poll(reached, { timeout: 20_000 }).toBe(true);
    }

    test('a server whose every answer is slow: nobody waits for all that a cold question takes', async () => {
      const slow = connectBehind();
      onTestFinished(() => way.behave('FORWARD'));
      await slowDown();
      // Discovery, a token for the admin interface and the person, one after the other.
      const asked = slow.find(known.id);
      await expectUnavailable(asked);
      await expect(asked).rejects.toMatchObject({
        cause: { message: expect.stringContaining('has waited') as string },
      });
      way.behave('FORWARD');
      // Calls that were cut off may still be failing.
      await expect
        .poll(() => slow.find(known.id).catch(() => null), { timeout: 10_000 })
        .toMatchObject({ id: known.id });
    });

    test('a request waits 3 s altogether, before its body is read and after it', async () => {
      const slow = connectBehind();
      const [one, other] = [await addUser(), await addUser()];
      await slow.find(known.id);
      const ask = (id: string): Promise<string> =>
        slow.find(id).then(
          (found) => found?.id ?? 'nobody',
          ({ cause }: Error) => String(cause),
        );
      const app = Fastify();
      onTestFinished(async () => {
        way.behave('FORWARD');
        await app.close();
      });
      await slow.serve(app);
      let first = '';
      app.addHook('onRequest', async () => void (first = await ask(one.id)));
      app.post('/', async () => [first, await ask(other.id)]);
      const address = await app.listen({ host: '127.0.0.1', port: 0 });
      const post = async (): Promise<unknown> =>
        (await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).json();
      await slowDown();
      // Each alone would be answered in time.
      expect(await post()).toEqual([one.id, expect.stringContaining('has waited')]);
      // What came too late was kept.
      await expect.poll(post, { timeout: 10_000 }).toEqual([one.id, other.id]);
    });

    test('a client that Keycloak does not know, or that may not ask', async () => {
      await expectUnavailable(connect({ KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET: 'wrong' }).find(known.id));
      await expectUnavailable(connect({ KETHUB_KEYCLOAK_ADMIN_CLIENT_ID: 'kethub' }).find(known.id));
    });

    test('an issuer that the server does not name', async () => {
      const elsewhere = connect({ KETHUB_OIDC_ISSUER: `${realm.origin}/realms/nowhere` });
      await expectUnavailable(elsewhere.verify(token));
      await expectUnavailable(elsewhere.find(known.id));
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
