import { setTimeout as pause } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasKeycloak, type TestRealm } from '../../../testing/keycloak.ts';
import { startRealmIdentity, type RealmIdentity } from '../../../testing/realm-identity.ts';
import { startTcpProxy, type TcpProxy } from '../../../testing/tcp-proxy.ts';
import { IdentityProviderUnavailable, type Identity, type IdentityService } from '../identity-provider.ts';

/** Time for something that happens soon, on a slow machine as well. */
const patient = { timeout: 40_000 };

describe.skipIf(!hasKeycloak)('an answer that says nothing about a person is never a no', () => {
  let on: RealmIdentity;
  let realm: TestRealm;
  let way: TcpProxy;
  let behind: IdentityService;
  let known: Identity;
  let token: string;
  beforeAll(async () => {
    on = await startRealmIdentity();
    ({ realm } = on);
    way = await startTcpProxy(new URL(realm.origin));
    known = await patiently(() => on.addUser());
    // Keycloak issues in the name of the address that it is asked at.
    const issuer = realm.issuer.replace(realm.origin, way.origin);
    token = (await on.signIn(known.username, {}, issuer)).access_token;
  });
  afterAll(async () => {
    await way.close();
    await on.close();
  });

  async function expectUnavailable(asked: Promise<unknown>): Promise<void> {
    await expect(asked).rejects.toThrow(IdentityProviderUnavailable);
    await expect(asked).rejects.toMatchObject({ status: 503 });
  }
  /** A Keycloak that answers may need longer than a platform waits, on a busy machine. */
  async function patiently<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof IdentityProviderUnavailable)) throw error;
        await pause(200);
      }
    }
  }
  const issuerBehind = (): string => realm.issuer.replace(realm.origin, way.origin);
  const connectBehind = (): IdentityService => on.connect({ KETHUB_OIDC_ISSUER: issuerBehind() });

  test.each(['REFUSE', 'SILENT'] as const)('a server that is down (%s), until it is back', async (how) => {
    behind = connectBehind();
    way.behave(how);
    await expectUnavailable(behind.verify(token));
    await expectUnavailable(behind.find(known.id));
    await expectUnavailable(behind.delete(known.id));
    way.behave('FORWARD');
    expect(await patiently(() => behind.verify(token))).toEqual({ subject: known.id });
    expect(await patiently(() => behind.find(known.id))).toMatchObject({ id: known.id });
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
      on.later = 10_000;
      await behind.find(known.id).catch(() => null);
      expect(way.connections()).toBeGreaterThan(before);
      expect(await patiently(() => behind.find(known.id))).toMatchObject({ id: known.id });
    } finally {
      on.later = 0;
    }
  });

  /** Makes the way slow, and waits until no connection is left from before. */
  async function slowDown(): Promise<void> {
    way.behave('SLOW');
    const reached = (): Promise<boolean> =>
      fetch(issuerBehind())
        .then(({ ok }) => ok)
        .catch(() => false);
    await expect.poll(reached, patient).toBe(true);
  }

  test('a server whose every answer is slow: nobody waits for all that a cold question takes', async () => {
    let slow: IdentityService;
    onTestFinished(() => way.behave('FORWARD'));
    await slowDown();
    const ask = async (): Promise<string> => {
      slow = connectBehind();
      // Discovery, a token for the admin interface and the person, one after the other.
      const asked = slow.find(known.id);
      await expectUnavailable(asked);
      return asked.then(String, causeOf);
    };
    // On a busy machine one answer alone may come too late.
    await expect.poll(ask, patient).toContain('has waited');
    way.behave('FORWARD');
    // Calls that were cut off may still be failing.
    await expect.poll(() => slow.find(known.id).catch(() => null), patient).toMatchObject({ id: known.id });
  });

  test('a request waits 3 s altogether, before its body is read and after it', async () => {
    const slow = connectBehind();
    let [one, other] = [known, known];
    await patiently(() => slow.find(known.id));
    const ask = (id: string): Promise<string> => slow.find(id).then((found) => found?.id ?? 'nobody', causeOf);
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
    const headers = { 'content-type': 'application/json' };
    const post = async (): Promise<string[]> =>
      (await (await fetch(address, { method: 'POST', headers, body: '{}' })).json()) as string[];
    await slowDown();
    const askOfTwo = async (): Promise<unknown> => {
      [one, other] = [await patiently(() => on.addUser()), await patiently(() => on.addUser())];
      return (await post()).map((answer) => (answer === one.id ? 'in time' : answer));
    };
    // Each alone would be answered in time, but for a busy machine.
    await expect.poll(askOfTwo, patient).toEqual(['in time', expect.stringContaining('has waited')]);
    // The answer that came too late was cached.
    await expect.poll(post, patient).toEqual([one.id, other.id]);
  });

  test('a client that Keycloak does not know, or that may not ask', async () => {
    await expectUnavailable(on.connect({ KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET: 'wrong' }).find(known.id));
    await expectUnavailable(on.connect({ KETHUB_KEYCLOAK_ADMIN_CLIENT_ID: 'kethub' }).find(known.id));
  });

  test('an issuer that the server does not name', async () => {
    const elsewhere = on.connect({ KETHUB_OIDC_ISSUER: `${realm.origin}/realms/nowhere` });
    await expectUnavailable(elsewhere.verify(token));
    await expectUnavailable(elsewhere.find(known.id));
  });
});

function causeOf({ cause }: Error): string {
  return String(cause);
}
