import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGE_ICON } from '../../../foundation/http/index.ts';
import { PASSWORD, startTestAccounts, type TestAccounts } from '../../../testing/accounts.ts';
import { Browser } from '../../../testing/browser.ts';
import { databases } from '../../../testing/databases.ts';
import { createTestServer } from '../../../testing/platform.ts';
import { continueButton } from '../../../testing/upstream-sign-in.ts';
import { createEmbeddedIdentity } from '../index.ts';

describe.each(databases())('authorization code with PKCE on $name', ({ open }) => {
  let server: TestAccounts;
  let configuration: client.Configuration;
  let dashboard: string;
  beforeAll(async () => {
    server = await startTestAccounts(open);
    await server.addUser('ada');
    const { auth } = server.platform.addresses;
    dashboard = `${new URL(auth).origin}/callback`;
    configuration = await client.discovery(new URL(auth), 'kethub', undefined, client.None(), {
      execute: [client.allowInsecureRequests],
    });
  });
  afterAll(() => server.close());

  /** The address that a program sends the browser to, and how it redeems what comes back. */
  async function begin(redirectUri: string, parameters: Record<string, string> = {}) {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const expectedState = client.randomState();
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      ...parameters,
    });
    return {
      url,
      redeem: (callback: URL) =>
        client.authorizationCodeGrant(configuration, callback, { pkceCodeVerifier, expectedState }),
    };
  }

  test('a person signs in on the page and the program gets a session', async () => {
    const { url, redeem } = await begin(dashboard, { login_hint: 'a"><b>da' });
    const browser = new Browser();
    const page = await browser.open(url);
    expect(page.response.status).toBe(200);
    expect(page.html).toContain('<label for="password">');
    expect(page.html).toContain('value="a&quot;&gt;&lt;b&gt;da"');
    const callback = await browser.submit(page, { username: 'ada', password: PASSWORD });
    expect(callback.url.href.startsWith(`${dashboard}?`)).toBe(true);
    const session = await redeem(callback.url);
    expect(session.claims()).toMatchObject({ aud: 'kethub', iss: server.platform.addresses.auth });
    const me = await server.call('GET', '/me', session.access_token);
    expect(await me.json()).toMatchObject({ id: session.claims()?.sub, username: 'ada' });
    const next = await client.refreshTokenGrant(configuration, session.refresh_token ?? '');
    expect((await server.call('GET', '/me', next.access_token)).status).toBe(200);
    // The identity token is for the program alone.
    expect((await server.call('GET', '/me', session.id_token)).status).toBe(401);
    // A code that is redeemed a second time ends what came of the first.
    await expect(redeem(callback.url)).rejects.toMatchObject({ error: 'invalid_grant' });
    const refreshed = client.refreshTokenGrant(configuration, next.refresh_token ?? '');
    await expect(refreshed).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test.each([
    ['waits for the approval', { status: 'PENDING' as const }],
    ['address is not confirmed', { status: 'PENDING' as const, email_verified: 0 }],
  ])('a person who cannot do anything yet gets a notice, and goes on: %s', async (text, fields) => {
    const username = `waiting-${text.length}`;
    const { id } = await server.addUser(username);
    await server.platform.database.write((transaction) =>
      transaction.updateTable('identities').set(fields).where('id', '=', id).execute(),
    );
    const { url, redeem } = await begin(dashboard);
    const browser = new Browser();
    const notice = await browser.submit(await browser.open(url), { username, password: PASSWORD });
    expect(notice.response.status).toBe(200);
    expect(notice.html).toContain(text);
    const callback = await browser.open(continueButton(notice));
    const session = await redeem(callback.url);
    expect((await server.call('GET', '/me', session.access_token)).status).toBe(403);
  });

  test('a wrong password and an unknown name show the same page, with the name kept and nothing given away', async () => {
    const texts: string[] = [];
    for (const username of ['ada', 'nobody']) {
      const { url } = await begin(dashboard);
      const browser = new Browser();
      const answer = await browser.submit(await browser.open(url), { username, password: 'wrong' });
      expect(answer.response.status).toBe(400);
      expect(answer.html).toContain('role="alert">Username or password is wrong.');
      expect(answer.html).toContain(`value="${username}"`);
      expect(answer.html).not.toContain('wrong"');
      texts.push(answer.html.replaceAll(/action="[^"]*"/g, '').replace(`value="${username}"`, ''));
      const second = await browser.submit(answer, { username: 'ada', password: PASSWORD });
      expect(second.url.searchParams.get('code')).not.toBeNull();
    }
    expect(texts[0]).toBe(texts[1]);
  });

  test('a sign-in that is cancelled comes back as access_denied', async () => {
    const { url } = await begin(dashboard);
    const browser = new Browser();
    const callback = await browser.submit(await browser.open(url), { decision: 'cancel' });
    expect(callback.url.searchParams.get('error')).toBe('access_denied');
    expect(callback.url.searchParams.get('code')).toBeNull();
  });

  test('the page runs no scripts, loads nothing, cannot be framed or kept', async () => {
    const { url } = await begin(dashboard);
    const { html, response } = await new Browser().open(url);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain(`form-action 'self' ${new URL(dashboard).origin}`);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    // The icon stands in its own address.
    expect(html.replace(PAGE_ICON, '')).not.toMatch(/<script|<link|<img|\ssrc=|\sstyle=|url\(|@import/);
  });

  test('the cookies of a sign-in are out of reach of scripts, of other sites and of the gateway', async () => {
    const { url } = await begin(dashboard);
    const browser = new Browser();
    await browser.submit(await browser.open(url), { username: 'ada', password: PASSWORD });
    expect(browser.seen.map((cookie) => cookie.split('=')[0])).toContain('kethub_session');
    for (const cookie of browser.seen) {
      expect(cookie).toMatch(/; httponly/i);
      expect(cookie).toMatch(/; samesite=lax/i);
      expect(cookie).toMatch(/; path=\/auth/i);
      expect(cookie).not.toMatch(/; (secure|domain=)/i);
    }
  });

  test('behind https the cookies are sent over https only', async () => {
    const addresses = { ...server.platform.addresses, auth: 'https://kethub.example.org/auth' };
    const identity = await createEmbeddedIdentity({ ...server.platform, addresses });
    const app = await createTestServer(server.platform);
    await identity.serve(app);
    const { url } = await begin('https://kethub.example.org/callback');
    const response = await app.inject({ url: `${url.pathname}${url.search}` });
    expect(response.headers.location).toMatch(/^https:\/\/kethub\.example\.org\/auth\/sign-in\//);
    const cookies = [response.headers['set-cookie'] ?? []].flat();
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie).toMatch(/; secure/i);
    await app.close();
    await identity.close();
  });

  test('too many wrong passwords on the page: 429 and when to try again', async () => {
    await server.addUser('attacked');
    const browser = new Browser();
    let page = await browser.open((await begin(dashboard)).url);
    const submit = (password: string) => browser.submit(page, { username: 'attacked', password });
    for (let round = 0; round < 10; round += 1) page = await submit('wrong');
    expect(page.response.status).toBe(400);
    page = await submit(PASSWORD);
    expect(page.response.status).toBe(429);
    expect(Number(page.response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(page.html).toContain('Too many wrong passwords. Try again in 5 minutes.');
  });

  test('the form of one browser cannot be sent by another', async () => {
    const { url } = await begin(dashboard);
    const page = await new Browser().open(url);
    const answer = await new Browser().submit(page, { username: 'ada', password: PASSWORD });
    expect(answer.response.status).toBe(400);
    expect(answer.html).toContain('belongs to another browser');
    const elsewhere = new Browser();
    await elsewhere.open((await begin(dashboard)).url);
    expect((await elsewhere.submit(page, { username: 'ada', password: PASSWORD })).response.status).toBe(400);
  });

  test('who is signed in is not asked again by the dashboard, but by a program on this machine', async () => {
    const browser = new Browser();
    const first = await begin(dashboard);
    await browser.submit(await browser.open(first.url), { username: 'ada', password: PASSWORD });
    const again = await browser.open((await begin(dashboard)).url);
    expect(again.url.searchParams.get('code')).not.toBeNull();

    const program = await begin('http://127.0.0.1:4711/callback');
    const page = await browser.open(program.url);
    expect(page.html).toContain('<label for="password">');
    const callback = await browser.submit(page, { username: 'ada', password: PASSWORD });
    expect(callback.url.origin).toBe('http://127.0.0.1:4711');
    const session = await program.redeem(callback.url);
    expect((await server.call('GET', '/me', session.access_token)).status).toBe(200);
  });

  test.each([
    ['a redirect to a stranger', { redirect_uri: 'https://evil.example/callback' }],
    ['a client that does not exist', { client_id: 'other' }],
  ])('%s is refused on a page, not by redirect', async (_what, parameters: Record<string, string>) => {
    const { url } = await begin(dashboard, parameters);
    const { response, html } = await new Browser().open(url);
    expect(response.status).toBe(400);
    expect(html).toContain('This did not work');
    expect(response.headers.get('location')).toBeNull();
  });

  test('without PKCE there is no code', async () => {
    const { url } = await begin(dashboard);
    url.searchParams.delete('code_challenge');
    url.searchParams.delete('code_challenge_method');
    const { url: callback } = await new Browser().open(url);
    expect(callback.searchParams.get('error')).toBe('invalid_request');
  });

  test('a code is of no use without the verifier of the one who asked', async () => {
    const { url } = await begin(dashboard);
    const browser = new Browser();
    const callback = await browser.submit(await browser.open(url), { username: 'ada', password: PASSWORD });
    const response = await server.token({
      grant_type: 'authorization_code',
      code: callback.url.searchParams.get('code') ?? '',
      redirect_uri: dashboard,
      code_verifier: client.randomPKCECodeVerifier(),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('signing out asks, and then ends the session of the browser', async () => {
    const browser = new Browser();
    const { url, redeem } = await begin(dashboard);
    const callback = await browser.submit(await browser.open(url), { username: 'ada', password: PASSWORD });
    const { id_token = '' } = await redeem(callback.url);
    const goodbye = client.buildEndSessionUrl(configuration, {
      id_token_hint: id_token,
      post_logout_redirect_uri: `${new URL(dashboard).origin}/`,
    });
    const question = await browser.open(goodbye);
    expect(question.html).toContain('Sign out?');
    const left = await browser.submit(question, { logout: 'yes' });
    expect(left.url.href.startsWith(`${new URL(dashboard).origin}/`)).toBe(true);
    const next = await browser.open((await begin(dashboard)).url);
    expect(next.html).toContain('<label for="password">');
  });
});
