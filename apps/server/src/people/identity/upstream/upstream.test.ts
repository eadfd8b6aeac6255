import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, startTestAccounts, type TestAccounts } from '../../../testing/accounts.ts';
import { Browser, type Seen } from '../../../testing/browser.ts';
import { databases } from '../../../testing/databases.ts';
import { startTestUpstream, type TestUpstream, type UpstreamClaims } from '../../../testing/upstream.ts';
import { beginSignIn, upstreamButton } from '../../../testing/upstream-sign-in.ts';

describe.each(databases())('signing in at another OpenID provider, on $name', ({ open }) => {
  let upstream: TestUpstream;
  let server: TestAccounts;
  let number = 0;
  beforeAll(async () => {
    upstream = await startTestUpstream();
    server = await startTestAccounts(open, {
      settings: { ...upstream.settings, KETHUB_REGISTRATION: 'open', KETHUB_ADMINISTRATORS: 'boss' },
    });
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
  });

  function somebody(other: Record<string, unknown> = {}): UpstreamClaims {
    const name = `person-${++number}`;
    return {
      sub: `subject-${number}`,
      preferred_username: name,
      given_name: 'Grace',
      family_name: 'Hopper',
      email: `${name}@example.org`,
      email_verified: true,
      ...other,
    };
  }

  /** Presses the button as `person` on a new page. */
  async function press(person: UpstreamClaims | null, browser = new Browser()) {
    const { page, redeem } = await beginSignIn(server, browser);
    upstream.person = person;
    const answer = await browser.open(upstreamButton(page));
    return { browser, page, answer, redeem };
  }

  async function meOf(person: UpstreamClaims): Promise<Record<string, unknown>> {
    const { answer, redeem } = await press(person);
    const me = await server.call('GET', '/me', await redeem(answer.url));
    expect(me.status).toBe(200);
    return (await me.json()) as Record<string, unknown>;
  }

  function identities(email: string) {
    return server.platform.database.read.selectFrom('identities').selectAll().where('email', '=', email).execute();
  }

  function expectRefusal({ answer }: { answer: Seen }, status: number, text: string): void {
    expect(answer.response.status).toBe(status);
    expect(answer.html).toContain(text);
    // The password works here, whatever goes wrong there.
    expect(answer.html).toContain('<label for="password">');
    expect(() => upstreamButton(answer)).not.toThrow();
  }

  test('the first time makes an account of our own, the next time finds it', async () => {
    const person = somebody();
    const me = await meOf(person);
    expect(me).toMatchObject({
      username: person['preferred_username'],
      email: person['email'],
      firstname: 'Grace',
      lastname: 'Hopper',
    });
    expect(me['id']).toMatch(/^[0-9a-f-]{36}$/);
    expect((await meOf(person))['id']).toBe(me['id']);
  });

  test('names and a verified address follow the provider; the username stays', async () => {
    const person = somebody();
    const { id, username } = await meOf(person);
    const changed = {
      ...person,
      given_name: 'Augusta',
      email: `new-${person.sub}@example.org`,
      preferred_username: 'x-y',
    };
    expect(await meOf(changed)).toMatchObject({ id, username, firstname: 'Augusta', email: changed.email });
    // The next holder of the former address is another person.
    const heir = somebody({ email: person['email'] });
    expect((await meOf(heir))['id']).not.toBe(id);
  });

  test('a username that is the address changes with it, so that nobody keeps the address of an heir', async () => {
    const person = somebody({ preferred_username: undefined });
    const { id, username } = await meOf(person);
    expect(username).toBe(person['email']);
    const email = `married-${person.sub}@example.org`;
    expect(await meOf({ ...person, email })).toMatchObject({ id, username: email, email });
    expect(await meOf(somebody({ email: username }))).toMatchObject({ email: username });
  });

  test('a changed address that is not verified, or somebody else has, is not taken over', async () => {
    const person = somebody();
    const victim = await server.addUser(`victim-${person.sub}`);
    const before = await meOf(person);
    for (const changed of [
      { ...person, email: `fresh-${person.sub}@example.org`, email_verified: false },
      { ...person, email: victim.email },
      { ...person, email: undefined },
    ]) {
      expect(await meOf(changed)).toMatchObject({ id: before['id'], email: before['email'] });
    }
    expect(await identities(victim.email)).toMatchObject([{ id: victim.id }]);
  });

  test('an address that the provider has not verified makes no account and opens none', async () => {
    const victim = await server.addUser(`owner-${++number}`);
    for (const email_verified of [false, undefined, 'false', 1]) {
      for (const email of [victim.email, `free-${number}@example.org`]) {
        expectRefusal(await press(somebody({ email, email_verified })), 403, 'has not verified your e-mail address');
      }
    }
    expect(await identities(`free-${number}@example.org`)).toEqual([]);
    expect(await linksOf(victim.id)).toEqual([]);
  });

  test('an account with the same verified address opens after its password was given in the same sign-in', async () => {
    const owner = await server.addUser(`colleague-${++number}`);
    const person = somebody({ email: owner.email.toUpperCase() });
    const first = await press(person);
    expectRefusal(first, 403, 'There is an account with your e-mail address already.');
    expect(await linksOf(owner.id)).toEqual([]);
    // Not by coming again, and not by the password of somebody else.
    const other = await server.addUser(`stranger-${++number}`);
    await first.browser.submit(first.answer, { username: other.username, password: PASSWORD });
    expectRefusal(await press(person), 403, 'There is an account with your e-mail address already.');
    const again = await press(person);
    const wrong = await again.browser.submit(again.answer, { username: owner.username, password: 'wrong' });
    expect(await linksOf(owner.id)).toEqual([]);
    const callback = await again.browser.submit(wrong, { username: owner.username, password: PASSWORD });
    expect((await server.call('GET', '/me', await again.redeem(callback.url))).status).toBe(200);
    expect((await meOf(person))['id']).toBe(owner.id);
    expect(await linksOf(other.id)).toEqual([]);
    // Both ways stay open.
    expect((await server.signIn(owner.username)).access_token).not.toBe('');
  });

  test.each(['an account', 'an administrator who has never been here', 'an address', 'nobody'])(
    'a username that cannot be had, being that of %s, becomes the address',
    async (whose) => {
      const taken = await server.addUser(`taken-${++number}`);
      const names: Record<string, string> = {
        'an account': taken.username.toUpperCase(),
        'an administrator who has never been here': 'boss',
        'an address': `somebody-${number}@example.org`,
        nobody: ' ',
      };
      const person = somebody({ preferred_username: names[whose] });
      expect(await meOf(person)).toMatchObject({ username: person['email'] });
    },
  );

  test('many first sign-ins at once make one account', async () => {
    const person = somebody();
    const browsers = await Promise.all(Array.from({ length: 6 }, () => arrive(person)));
    const answers = await Promise.all(browsers.map(({ browser, callback }) => browser.open(callback)));
    const ids = new Set<unknown>();
    for (const [index, { url }] of answers.entries()) {
      const token = await browsers[index]?.redeem(url);
      ids.add(((await (await server.call('GET', '/me', token)).json()) as { id: string }).id);
    }
    expect(ids.size).toBe(1);
    expect(await identities(String(person['email']))).toHaveLength(1);
  });

  test('two people who want one name at once both get an account', async () => {
    const preferred_username = `wanted-${++number}`;
    const people = Array.from({ length: 4 }, () => somebody({ preferred_username }));
    const browsers: Awaited<ReturnType<typeof arrive>>[] = [];
    for (const person of people) browsers.push(await arrive(person));
    const answers = await Promise.all(browsers.map(({ browser, callback }) => browser.open(callback)));
    expect(answers.map(({ url }) => url.searchParams.has('code'))).toEqual([true, true, true, true]);
    const rows = await Promise.all(people.map((person) => identities(String(person['email']))));
    const names = rows.flat().map(({ username }) => username);
    expect(new Set(names).size).toBe(4);
    expect(names).toContain(preferred_username);
  });

  test.each([
    ['no address', { email: undefined }],
    ['an address that is none', { email: 'ada' }],
    ['two addresses', { email: 'ada@example.org,eve@example.org' }],
    ['an address in a list', { email: ['ada@example.org'] }],
    ['an address of 100,000 characters', { email: `${'a'.repeat(100_000)}@example.org` }],
    ['U+0000 and a line end in the address', { email: 'ada\0@example.org\r\nBcc: eve@example.org' }],
  ])('%s: a page that says so', async (_what, claims) => {
    expectRefusal(await press(somebody(claims)), 403, 'does not tell Kethub your e-mail address');
  });

  test('names that are oversized, missing or unprintable are made to fit', async () => {
    const long = await meOf(somebody({ given_name: '\u{1f600}'.repeat(5_000), family_name: 'x'.repeat(5_000) }));
    expect(String(long['firstname'])).toHaveLength(100);
    expect(String(long['lastname'])).toHaveLength(100);
    const odd = await meOf(somebody({ given_name: ' A\0d\r\na\u202e ', family_name: { evil: true } }));
    expect(odd).toMatchObject({ firstname: 'A d a', lastname: '' });
    const whole = somebody({ given_name: undefined, family_name: undefined, name: 'Ada King Lovelace' });
    expect(await meOf(whole)).toMatchObject({ firstname: 'Ada King', lastname: 'Lovelace' });
    const none = somebody({ given_name: undefined, family_name: undefined });
    expect(await meOf(none)).toMatchObject({ firstname: none['preferred_username'], lastname: '' });
  });

  test('an answer that is too large to be read is an outage, not a person', async () => {
    const { answer } = await press(somebody({ name: 'x'.repeat(2 * 1024 * 1024) }));
    expect(answer.response.status).toBe(503);
  });

  test('a subject longer than OpenID Connect allows is refused', async () => {
    expectRefusal(await press(somebody({ sub: 's'.repeat(256) })), 400, 'did not work');
  });

  test('who has no password signs in with none, here and at the token endpoint', async () => {
    const person = somebody();
    await meOf(person);
    for (const password of ['', ' ', person.sub, PASSWORD]) {
      const form = { grant_type: 'password', username: String(person['email']), password };
      expect((await server.token(form)).status).toBe(400);
      const browser = new Browser();
      const answer = await browser.submit((await beginSignIn(server, browser)).page, {
        username: form.username,
        password,
      });
      expect(answer.html).toContain('Username or password is wrong.');
    }
  });

  test.each([
    ['switched off', { enabled: 0 }, 'Your account is switched off.'],
    ['rejected', { status: 'REJECTED' }, 'Your registration was rejected.'],
  ] as const)('who is %s does not get in, and nothing of the account changes', async (_what, changed, text) => {
    const person = somebody();
    const { id } = await meOf(person);
    await server.platform.database.write((transaction) =>
      transaction.updateTable('identities').set(changed).where('id', '=', String(id)).execute(),
    );
    expectRefusal(await press({ ...person, given_name: 'Eve' }), 403, text);
    expect(await identities(String(person['email']))).toMatchObject([{ ...changed, firstname: 'Grace' }]);
  });

  test('who is deleted and comes again is somebody new', async () => {
    const person = somebody();
    const { id } = await meOf(person);
    await server.identity.delete(String(id));
    expect(await linksOf(String(id))).toEqual([]);
    expect((await meOf(person))['id']).not.toBe(id);
  });

  test('who turns back at the provider gets a notice, and can go on', async () => {
    const { browser, answer, redeem } = await press(null);
    expectRefusal({ answer }, 400, 'You have not signed in with Example &lt;Lab&gt;.');
    upstream.person = somebody();
    const { url } = await browser.open(upstreamButton(answer));
    expect(await redeem(url)).not.toBe('');
  });

  describe('attacks', () => {
    test('an answer from somebody else’s sign-in opens nothing in this browser', async () => {
      const { callback } = await arrive(somebody());
      const victim = new Browser();
      await beginSignIn(server, victim);
      const answer = await victim.open(callback);
      expect(answer.response.status).toBe(400);
      expect(answer.html).toContain('belongs to another browser');
    });

    test('nor does it at the address of a sign-in that this browser has begun', async () => {
      const attacker = await arrive(somebody());
      const victim = new Browser();
      const { page } = await beginSignIn(server, victim);
      upstream.person = somebody();
      const own = new URL(`${page.url.href}/callback${attacker.callback.search}`);
      expect((await victim.open(own)).html).toContain('belongs to another browser');
    });

    test('a code of the attacker with the state of the victim is refused', async () => {
      const attacker = await arrive(somebody());
      const victim = await arrive(somebody());
      const mixed = new URL(victim.callback);
      mixed.searchParams.set('code', attacker.callback.searchParams.get('code') ?? '');
      expectRefusal({ answer: await victim.browser.open(mixed) }, 400, 'did not work');
    });

    test.each([
      ['in the name of another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
      ['without the name of the issuer', (url: URL) => url.searchParams.delete('iss')],
      ['with a code that nobody gave', (url: URL) => url.searchParams.set('code', 'x'.repeat(5_000))],
      ['without a code', (url: URL) => url.searchParams.delete('code')],
      ['with two codes', (url: URL) => url.searchParams.append('code', 'x')],
    ])('an answer %s is refused', async (_what, change) => {
      const { browser, callback } = await arrive(somebody());
      change(callback);
      expectRefusal({ answer: await browser.open(callback) }, 400, 'did not work');
    });

    test('an answer is taken once', async () => {
      const { browser, callback, page } = await arrive(somebody());
      const own = new URL(`${page.url.href}/callback${callback.search}`);
      expect((await browser.visit(own)).response.status).toBe(303);
      expect((await browser.open(own)).response.status).toBe(400);
    });

    test.each(['', '?state=', '?state=unknown', '?state=a&state=b', `?state=${'x'.repeat(5_000)}`, '?state=%00'])(
      'an answer that nobody asked for (%j) is the end',
      async (query) => {
        const url = new URL(`${server.platform.addresses.auth}/sign-in/callback${query}`);
        expect((await new Browser().open(url)).response.status).toBe(400);
      },
    );

    test('the button works in the browser of its page only', async () => {
      const { page } = await beginSignIn(server, new Browser());
      expect((await new Browser().open(upstreamButton(page))).response.status).toBe(400);
    });
  });

  /** Comes back from the provider, up to the address at which Kethub awaits the answer. */
  async function arrive(person: UpstreamClaims) {
    const browser = new Browser();
    const { page, redeem } = await beginSignIn(server, browser);
    upstream.person = person;
    let { location } = await browser.visit(upstreamButton(page));
    while (location && location.pathname !== '/auth/sign-in/callback') ({ location } = await browser.visit(location));
    if (!location) throw new Error('The provider sent nobody back');
    return { browser, page, callback: location, redeem };
  }

  function linksOf(id: string) {
    return server.platform.database.read
      .selectFrom('sign_in_links')
      .selectAll()
      .where('identity_id', '=', id)
      .execute();
  }
});
