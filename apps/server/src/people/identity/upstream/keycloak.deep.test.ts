import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, startTestAccounts, type TestAccounts } from '../../../testing/accounts.ts';
import { Browser, type Seen } from '../../../testing/browser.ts';
import { databases } from '../../../testing/databases.ts';
import { createTestRealm, hasKeycloak, type TestRealm } from '../../../testing/keycloak.ts';
import { beginSignIn, continueButton, upstreamButton } from '../../../testing/upstream-sign-in.ts';

const SECRET = randomBytes(16).toString('hex');

describe.skipIf(!hasKeycloak).each(databases())('signing in with a real Keycloak, on $name', ({ open }) => {
  let realm: TestRealm;
  let number = 0;
  beforeAll(async () => {
    realm = await createTestRealm();
    await signInOnce();
  });
  afterAll(() => realm.remove());

  /** A platform that is a client of the realm: confidential with `secret`, else public. */
  async function start(secret: string | null, settings: Record<string, string> = {}): Promise<TestAccounts> {
    const clientId = `kethub-sign-in-${++number}`;
    const server = await startTestAccounts(open, {
      settings: {
        KETHUB_SIGN_IN_ISSUER: realm.issuer,
        KETHUB_SIGN_IN_CLIENT_ID: clientId,
        KETHUB_SIGN_IN_NAME: 'Keycloak',
        ...(secret !== null && { KETHUB_SIGN_IN_CLIENT_SECRET: secret }),
        ...settings,
      },
    });
    await realm.admin('POST', '/clients', {
      clientId,
      publicClient: secret === null,
      ...(secret !== null && { secret }),
      redirectUris: [`${server.platform.addresses.auth}/sign-in/callback`],
      attributes: { 'pkce.code.challenge.method': 'S256' },
    });
    return server;
  }

  async function addPerson(username: string): Promise<void> {
    await realm.admin('POST', '/users', {
      username,
      email: `${username}@example.org`,
      emailVerified: true,
      firstName: 'Grace',
      lastName: 'Hopper',
      enabled: true,
      credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
    });
  }

  /** Presses the button and fills in Keycloak's own form. */
  async function signIn(server: TestAccounts, username: string, password: string = PASSWORD, browser = new Browser()) {
    const { page, redeem } = await beginSignIn(server, browser);
    const form = await insist(browser, await browser.open(upstreamButton(page)));
    expect(form.url.origin).toBe(realm.origin);
    expect(form.html).toContain('id="kc-form-login"');
    return { form, answer: await insist(browser, await browser.submit(form, { username, password })), redeem };
  }

  /**
   * Presses the button again while the platform says that Keycloak does not answer. The platform waits 2.5 s for each
   * call; on a busy machine a Keycloak that hashes passwords takes longer.
   */
  async function insist(browser: Browser, seen: Seen): Promise<Seen> {
    if (seen.response.status !== 503) return seen;
    await pause(1_000);
    return insist(browser, await browser.open(upstreamButton(seen)));
  }

  /** The first sign-in at a Keycloak that has just started may be slower than a platform waits. */
  async function signInOnce(): Promise<void> {
    const server = await start(SECRET);
    try {
      await addPerson('first');
      await signIn(server, 'first');
    } catch {
      // It was.
    } finally {
      await server.close();
    }
  }

  async function me(server: TestAccounts, token: string): Promise<[status: number, body: unknown]> {
    const answer = await server.call('GET', '/me', token);
    return [answer.status, await answer.json()];
  }

  test('a person signs in there and waits here for approval, then the token works', async () => {
    const server = await start(SECRET);
    try {
      const person = `grace-${++number}`;
      await addPerson(person);
      const browser = new Browser();
      const { form, answer, redeem } = await signIn(server, person, PASSWORD, browser);
      expect(form.url.searchParams.get('code_challenge_method')).toBe('S256');
      expect(answer.html).toContain('waits for the approval');
      const callback = await browser.open(continueButton(answer));
      const token = await redeem(callback.url);
      expect(await me(server, token)).toMatchObject([403, {}]);
      await server.platform.database.write((transaction) =>
        transaction.updateTable('identities').set({ status: 'APPROVED' }).where('username', '=', person).execute(),
      );
      const own = { username: person, email: `${person}@example.org`, firstname: 'Grace', lastname: 'Hopper' };
      expect(await me(server, token)).toMatchObject([200, own]);
    } finally {
      await server.close();
    }
  });

  test('a public client needs no secret; what changes there changes here', async () => {
    const server = await start(null, { KETHUB_REGISTRATION: 'open' });
    try {
      const person = `grace-${++number}`;
      await addPerson(person);
      const first = await signIn(server, person);
      const [, before] = await me(server, await first.redeem(first.answer.url));
      const [user] = (await realm.admin('GET', `/users?username=${person}&exact=true`)) as { id: string }[];
      if (!user) throw new Error('Keycloak has lost the person');
      const changed = { lastName: 'Murray', email: `new-${person}@example.org`, emailVerified: true };
      await realm.admin('PUT', `/users/${user.id}`, { ...user, ...changed });
      const next = await signIn(server, person);
      const { id } = before as { id: string };
      const expected = { id, username: person, lastname: 'Murray', email: changed.email };
      expect(await me(server, await next.redeem(next.answer.url))).toMatchObject([200, expected]);
    } finally {
      await server.close();
    }
  });

  test('an address that Keycloak has not verified makes no account', async () => {
    const server = await start(SECRET, { KETHUB_REGISTRATION: 'open' });
    try {
      // Else Keycloak itself lets nobody through.
      await realm.admin('PUT', '', { verifyEmail: false });
      const person = `grace-${++number}`;
      await addPerson(person);
      const [user] = (await realm.admin('GET', `/users?username=${person}&exact=true`)) as { id: string }[];
      await realm.admin('PUT', `/users/${user?.id}`, { ...user, emailVerified: false });
      const { answer } = await signIn(server, person);
      expectPage(answer, 403, 'Keycloak has not verified your e-mail address.');
    } finally {
      await realm.admin('PUT', '', { verifyEmail: true });
      await server.close();
    }
  });

  test('a wrong password stays there; who is signed in there is asked again by a program that wants it', async () => {
    const server = await start(SECRET, { KETHUB_REGISTRATION: 'open' });
    try {
      const person = `grace-${++number}`;
      await addPerson(person);
      const browser = new Browser();
      const wrong = await signIn(server, person, 'wrong', browser);
      expect(wrong.answer.url.origin).toBe(realm.origin);
      const right = await insist(browser, await browser.submit(wrong.answer, { username: person, password: PASSWORD }));
      expect(await me(server, await wrong.redeem(right.url))).toMatchObject([200, { username: person }]);
      const other = await beginSignIn(server, browser);
      expect(other.page.url.searchParams.get('code')).not.toBeNull();
      const again = await beginSignIn(server, browser, { prompt: 'login' });
      const asked = await insist(browser, await browser.open(upstreamButton(again.page)));
      expect(asked.html).toContain('id="kc-form-login"');
    } finally {
      await server.close();
    }
  });

  function expectPage({ response, html }: Seen, status: number, text: string): void {
    expect(response.status).toBe(status);
    expect(html).toContain(text);
    expect(html).toContain('<label for="password">');
  }
});
