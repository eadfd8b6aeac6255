import * as client from 'openid-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SignInRecords } from '../../audit/index.ts';
import { PASSWORD, startTestAccounts } from '../../../testing/accounts.ts';
import { Browser } from '../../../testing/browser.ts';
import { databases } from '../../../testing/databases.ts';
import { mailsTo, tokenIn } from '../../../testing/outbox.ts';
import { visitorOf } from '../../../testing/registration.ts';
import { Attempts } from '../base/attempts.ts';
import { watchPasswords } from '../base/password-changes.ts';
import { createOidcRecords } from '../base/oidc-records.ts';
import { accountOf, createSignIn } from '../embedded/sign-in.ts';
import { createEmbeddedIdentity } from '../index.ts';

const MINUTES = 60 * 1000;
const EMAIL = 'ada@example.org';
const NEXT = 'a password that is new';

describe.each(databases())('a new password on $name', ({ open }) => {
  test('is chosen by mail, once, and ends every session', async () => {
    const server = await startTestAccounts(open);
    onTestFinished(() => server.close());
    const visitor = visitorOf(server);
    await server.addUser('ada');
    await server.addUser('grace');
    const { auth } = server.platform.addresses;
    const session = await server.signIn('ada');
    const bystander = await server.signIn('grace');
    const configuration = await client.discovery(new URL(auth), 'kethub', undefined, client.None(), {
      execute: [client.allowInsecureRequests],
    });
    const authorize = async () =>
      client.buildAuthorizationUrl(configuration, {
        redirect_uri: `${new URL(auth).origin}/callback`,
        scope: 'openid profile',
        code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()),
        code_challenge_method: 'S256',
        state: 'x',
      });
    const browser = new Browser();
    await browser.submit(await browser.open(await authorize()), { username: 'ada', password: PASSWORD });
    // Signed in: not asked again.
    expect((await browser.open(await authorize())).url.searchParams.get('code')).not.toBeNull();

    await visitor.submit('/forgot-password', { email: 'ADA@example.org' });
    await visitor.submit('/forgot-password', { email: EMAIL });
    const [first, second] = await mailsTo(server.platform, EMAIL);
    if (!first || !second) throw new Error('There should be two mails');
    const token = tokenIn([first]);
    for (let round = 0; round < 2; round += 1) {
      expect((await visitor.open(`/password/${token}`)).html).toContain('<button>Set password</button>');
    }
    const short = await visitor.setPassword(token, 'short');
    expect([short.response.status, short.html.includes('id="password-error"')]).toEqual([400, true]);
    expect((await visitor.setPassword(token, NEXT)).response.status).toBe(200);

    expect(await visitor.signIn('ada', PASSWORD)).toBeNull();
    expect(await visitor.signIn('ada', NEXT)).not.toBeNull();
    const refresh = (refresh_token: string) => server.token({ grant_type: 'refresh_token', refresh_token });
    expect((await refresh(session.refresh_token)).status).toBe(400);
    expect((await refresh(bystander.refresh_token)).status).toBe(200);
    expect((await browser.open(await authorize())).html).toContain('<label for="password">');
    // Neither this link again nor the other one.
    for (const used of [token, tokenIn([second])]) {
      expect((await visitor.open(`/password/${used}`)).response.status).toBe(400);
      expect((await visitor.setPassword(used, 'yet another password')).response.status).toBe(400);
    }
    expect(await visitor.signIn('ada', NEXT)).not.toBeNull();
  });

  test('ends a sign-in with the old one that is in flight, wherever it is', async () => {
    const server = await startTestAccounts(open);
    onTestFinished(() => server.close());
    const visitor = visitorOf(server);
    const { id } = await server.addUser('ada');
    const { auth } = server.platform.addresses;
    const configuration = await client.discovery(new URL(auth), 'kethub', undefined, client.None(), {
      execute: [client.allowInsecureRequests],
    });
    const address = client.buildAuthorizationUrl(configuration, {
      redirect_uri: `${new URL(auth).origin}/callback`,
      scope: 'openid profile',
      code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
      state: 'x',
    });
    const change = async (password: string): Promise<void> => {
      await visitor.submit('/forgot-password', { email: EMAIL });
      const changed = await visitor.setPassword(await visitor.newestToken(EMAIL), password);
      expect(changed.response.status).toBe(200);
    };

    // The password was taken, and the browser has not gone on yet.
    const browser = new Browser();
    const form = await browser.open(address);
    const action = /<form[^>]* action="([^"]*)"/.exec(form.html)?.[1] ?? '';
    const { location } = await browser.visit(new URL(action, form.url), {
      method: 'POST',
      body: new URLSearchParams({ username: 'ada', password: PASSWORD }),
    });
    if (!location) throw new Error('Signing in should have led on');
    await change(NEXT);
    expect((await browser.open(location)).url.searchParams.get('code')).toBeNull();

    // The password was found right, or a session was read, and nothing was written yet.
    const signIn = createSignIn(
      server.platform,
      new Attempts(server.platform),
      new SignInRecords(server.platform, accountOf(server.platform)),
    );
    const recordsOf = createOidcRecords(server.platform);
    const inRequest = (run: () => Promise<void>): Promise<void> =>
      new Promise((resolve, reject) => watchPasswords(() => void run().then(resolve, reject)));
    await inRequest(async () => {
      expect(await signIn('ada', NEXT, '127.0.0.1')).toEqual({ kind: 'SIGNED_IN', subject: id });
      await recordsOf('Grant').upsert('before', { accountId: id }, 60);
      await change('another new one');
      await expect(recordsOf('Grant').upsert('after', { accountId: id }, 60)).rejects.toThrow('invalid_grant');
    });
    expect(await recordsOf('Grant').find('before')).toBeUndefined();
    await inRequest(async () => {
      await recordsOf('Session').upsert('mine', { accountId: id }, 60);
      expect(await recordsOf('Session').find('mine')).toMatchObject({ accountId: id });
      await change('the last one');
      await expect(recordsOf('Session').upsert('mine', { accountId: id }, 60)).rejects.toThrow('invalid_grant');
    });
  });

  test('is chosen within an hour', async () => {
    let later = 0;
    const server = await startTestAccounts(open, { now: () => Date.now() + later });
    onTestFinished(() => server.close());
    const visitor = visitorOf(server);
    await server.addUser('ada');
    await visitor.submit('/forgot-password', { email: EMAIL });
    const token = await visitor.newestToken(EMAIL);
    later = 60 * MINUTES;
    expect((await visitor.open(`/password/${token}`)).response.status).toBe(400);
    expect((await visitor.setPassword(token, NEXT)).response.status).toBe(400);
    expect(await visitor.signIn('ada', PASSWORD)).not.toBeNull();
  });

  test('is not chosen through an address that somebody has as username only', async () => {
    const server = await startTestAccounts(open);
    onTestFinished(() => server.close());
    await server.addUser('someone', { username: EMAIL, email: 'other@example.org' });
    await visitorOf(server).submit('/forgot-password', { email: EMAIL });
    expect(await mailsTo(server.platform, EMAIL)).toMatchObject([
      { subject: 'No account at Kethub with this e-mail address' },
    ]);
  });
});

describe.each(databases())('administrators of the settings on $name', ({ open }) => {
  test('are there at the start, choose a password by mail, and nobody registers in their place', async () => {
    const boss = 'grace.hopper@example.org';
    const server = await startTestAccounts(open, {
      settings: { KETHUB_ADMINISTRATORS: `known, ${boss}, root`, KETHUB_REGISTRATION: 'closed' },
    });
    onTestFinished(() => server.close());
    const visitor = visitorOf(server);
    const mails = await mailsTo(server.platform, boss);
    expect(mails).toMatchObject([{ subject: 'You administer a Kethub' }]);
    expect((await visitor.setPassword(tokenIn(mails), NEXT)).response.status).toBe(200);
    const session = await visitor.signIn(boss, NEXT);
    const me = await server.call('GET', '/me', session?.access_token);
    expect(await me.json()).toMatchObject({ username: boss, email: boss, firstname: 'Grace', lastname: 'Hopper' });
    // The next start, and another process that starts beside it, add nobody.
    const both = await Promise.all([createEmbeddedIdentity(server.platform), createEmbeddedIdentity(server.platform)]);
    expect(await mailsTo(server.platform, boss)).toHaveLength(1);
    await Promise.all(both.map((identity) => identity.close()));
  });

  test('of several processes that start at once, one adds them', async () => {
    const server = await startTestAccounts(open);
    onTestFinished(() => server.close());
    const configuration = { ...server.platform.configuration, administrators: ['boss@example.org'] };
    const platform = { ...server.platform, configuration };
    const identities = await Promise.all(Array.from({ length: 3 }, () => createEmbeddedIdentity(platform)));
    expect(await mailsTo(server.platform, 'boss@example.org')).toHaveLength(1);
    await Promise.all(identities.map((identity) => identity.close()));
  });

  test('are names that nobody else can register', async () => {
    const boss = 'boss@example.org';
    const server = await startTestAccounts(open, { settings: { KETHUB_ADMINISTRATORS: `${boss}, root` } });
    onTestFinished(() => server.close());
    const visitor = visitorOf(server);
    expect((await visitor.register({ username: 'Root' })).html).toContain('id="username-error"');
    expect((await visitor.register({ email: boss })).response.status).toBe(200);
    const subjects = (await mailsTo(server.platform, boss)).map(({ subject }) => subject);
    expect(subjects).toEqual(['You administer a Kethub', 'You have an account at Kethub already']);
  });
});
