import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startTestAccounts, type TestAccounts } from '../../../testing/accounts.ts';
import { databases, type TestDatabaseKind } from '../../../testing/databases.ts';
import { mailsTo } from '../../../testing/outbox.ts';
import { createTestServer } from '../../../testing/platform.ts';
import { PAGE_ICON } from '../../../foundation/http/index.ts';
import { ADA, visitorOf } from '../../../testing/registration.ts';
import { createEmbeddedIdentity } from '../index.ts';
import { purgeRegistrations } from './registration.ts';

const HOURS = 60 * 60 * 1000;
const DAYS = 24 * HOURS;

/** A server of its own, for a test that moves the clock or has settings. */
async function start(
  open: TestDatabaseKind['open'],
  settings: Record<string, string> = {},
): Promise<{ server: TestAccounts; visitor: ReturnType<typeof visitorOf>; wait: (milliseconds: number) => void }> {
  let later = 0;
  const server = await startTestAccounts(open, { now: () => Date.now() + later, settings });
  onTestFinished(() => server.close());
  return { server, visitor: visitorOf(server), wait: (milliseconds) => void (later += milliseconds) };
}

function statusOf(server: TestAccounts, email: string, credential: string): Promise<unknown> {
  return server
    .call('GET', `/user-registration-status?email=${encodeURIComponent(email)}`, credential)
    .then(async (response) => ((await response.json()) as { status: unknown }).status);
}

describe.each(databases())('registration on $name', ({ open }) => {
  test('register, confirm the address, wait for an administrator', async () => {
    const { server, visitor } = await start(open);
    const sent = await visitor.register({ email: ' Ada@Example.org ' });
    expect(sent.response.status).toBe(200);
    expect(sent.html).toContain('<h1>Check your mail</h1>');

    const session = await visitor.signIn('ada@example.org');
    const accessToken = session?.access_token ?? '';
    expect((await server.call('GET', '/me', accessToken)).status).toBe(403);
    expect((await server.call('GET', '/search?q=ada', accessToken)).status).toBe(403);
    expect(await statusOf(server, ADA.email, accessToken)).toBe('EMAIL_NOT_VERIFIED');

    const mails = await mailsTo(server.platform, ADA.email);
    expect(mails).toMatchObject([{ mode: 0o600, subject: 'Confirm your e-mail address for Kethub' }]);
    const token = await visitor.newestToken(ADA.email);
    // Mail programs and scanners look at links.
    for (let round = 0; round < 2; round += 1) {
      const page = await visitor.open(`/verify/${token}`);
      expect([page.response.status, page.html.includes('<button>Confirm</button>')]).toEqual([200, true]);
    }
    expect((await visitor.verify(token, 'not the password at all')).html).toContain('id="password-error"');
    expect(await statusOf(server, ADA.email, accessToken)).toBe('EMAIL_NOT_VERIFIED');
    expect((await visitor.verify(token)).html).toContain('An administrator decides');
    // The session of before belongs to the same person, who is further now.
    expect(await statusOf(server, ADA.email, accessToken)).toBe('PENDING');
    expect((await server.call('GET', '/me', accessToken)).status).toBe(403);
    const again = await visitor.verify(token);
    expect([again.response.status, again.html.includes('not valid any more')]).toEqual([400, true]);
    expect(await server.identity.find(decodeJwt(accessToken).sub ?? '')).toMatchObject({
      username: ADA.email,
      email: ADA.email,
      emailVerified: true,
      firstname: 'Ada',
      lastname: 'Lovelace',
      status: 'PENDING',
      enabled: true,
    });
  });

  test('open: who has confirmed the address is in, by username and by address', async () => {
    const { server, visitor } = await start(open, { KETHUB_REGISTRATION: 'open' });
    await visitor.register({ username: 'Countess' });
    expect((await visitor.verify(await visitor.newestToken(ADA.email))).html).toContain('You can sign in now.');
    for (const name of ['countess', 'COUNTESS', ADA.email]) {
      const session = await visitor.signIn(name);
      const me = await server.call('GET', '/me', session?.access_token);
      expect(await me.json()).toMatchObject({ username: 'countess', email: ADA.email });
    }
  });

  test('closed: nobody registers, nobody confirms, and the page says so; passwords can still be chosen', async () => {
    const { server, visitor } = await start(open);
    await visitor.register();
    const token = await visitor.newestToken(ADA.email);
    await server.addUser('grace');
    await server.app.close();
    await server.identity.close();
    const configuration = { ...server.platform.configuration, registration: 'closed' as const };
    const identity = await createEmbeddedIdentity({ ...server.platform, configuration });
    const app = await createTestServer(server.platform);
    await identity.serve(app);
    await app.listen({ host: '127.0.0.1', port: server.platform.port });
    onTestFinished(async () => {
      await app.close();
      await identity.close();
    });
    for (const path of ['/register', '/send-again']) {
      const page = await visitor.open(path);
      expect([page.response.status, page.html.includes('Registration is closed')]).toEqual([403, true]);
      const posted = await fetch(server.platform.addresses.auth + path, {
        method: 'POST',
        body: new URLSearchParams(ADA),
      });
      expect(posted.status).toBe(403);
    }
    expect((await visitor.verify(token)).html).toContain('Registration is closed');
    await visitor.submit('/forgot-password', { email: 'grace@example.org' });
    const reset = await visitor.setPassword(await visitor.newestToken('grace@example.org'), 'another good password');
    expect(reset.response.status).toBe(200);
  });

  test('a registration outlives a restart', async () => {
    const { server, visitor } = await start(open);
    await visitor.register();
    await server.app.close();
    await server.identity.close();
    const identity = await createEmbeddedIdentity(server.platform);
    const app = await createTestServer(server.platform);
    await identity.serve(app);
    await app.listen({ host: '127.0.0.1', port: server.platform.port });
    onTestFinished(async () => {
      await app.close();
      await identity.close();
    });
    expect((await visitor.verify(await visitor.newestToken(ADA.email))).response.status).toBe(200);
  });

  test('a link is good for 24 hours, the next mail has another, and after 7 days all is forgotten', async () => {
    const { server, visitor, wait } = await start(open);
    await visitor.register({ username: 'countess' });
    const first = await visitor.newestToken(ADA.email);
    wait(24 * HOURS - 60_000);
    expect((await visitor.open(`/verify/${first}`)).response.status).toBe(200);
    wait(60_000);
    expect((await visitor.open(`/verify/${first}`)).response.status).toBe(400);
    expect((await visitor.verify(first)).response.status).toBe(400);
    await visitor.submit('/send-again', { email: ADA.email });
    const second = await visitor.newestToken(ADA.email);
    expect((await visitor.open(`/verify/${second}`)).response.status).toBe(200);

    const session = await visitor.signIn(ADA.email);
    wait(6 * DAYS - 60_000);
    await purgeRegistrations(server.platform);
    expect(await visitor.signIn(ADA.email)).not.toBeNull();
    wait(60_000);
    await purgeRegistrations(server.platform);
    expect(await visitor.signIn(ADA.email)).toBeNull();
    expect(await visitor.signIn('countess')).toBeNull();
    expect((await server.call('GET', '/user-registration-status?email=x@y', session?.access_token)).status).toBe(401);
    const { read } = server.platform.database;
    for (const table of ['registrations', 'mail_tokens', 'outgoing_mails'] as const) {
      expect([table, await read.selectFrom(table).selectAll().execute()]).toEqual([table, []]);
    }
  });

  describe('the form', () => {
    let server: TestAccounts;
    let visitor: ReturnType<typeof visitorOf>;
    beforeAll(async () => {
      server = await startTestAccounts(open);
      visitor = visitorOf(server);
    });
    afterAll(() => server.close());

    test.each([
      ['email', { email: 'ada' }],
      ['email', { email: 'ada@example.org,eve@example.org' }],
      ['email', { email: 'ada@example.org\r\nBcc: eve@example.org' }],
      ['email', { email: `${'a'.repeat(250)}@example.org` }],
      ['email', { email: 'a\0da@example.org' }],
      ['username', { username: 'eve@example.org' }],
      ['username', { username: 'x' }],
      ['username', { username: 'ada\0lovelace' }],
      ['firstname', { firstname: '  ' }],
      ['firstname', { firstname: 'A\0da' }],
      ['lastname', { lastname: 'x'.repeat(101) }],
      ['lastname', { lastname: 'Love\u202elace' }],
      ['password', { password: '11 letters.' }],
      ['password', { password: 'x'.repeat(257) }],
      ['password', { password: 'aaaaaaaaaaaaaaaa' }],
      ['password', { password: 'Ada@Example.ORG' }],
    ])('what is wrong with %s is said beside it: %j', async (name, fields) => {
      const { response, html } = await visitor.register(fields);
      expect(response.status).toBe(400);
      expect([...html.matchAll(/id="(\w+)-error"/g)].map(([, field]) => field)).toEqual([name]);
      expect(html).toMatch(
        new RegExp(`<input id="${name}"[^>]* aria-invalid="true" aria-describedby="[^"]*${name}-error"`),
      );
      expect(html).not.toContain('password' in fields ? fields.password : ADA.password);
    });

    test('what was typed is shown again, as text', async () => {
      const { html } = await visitor.register({ firstname: '"><script>alert(1)</script>', password: 'short' });
      expect(html).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
      expect(html).not.toContain('<script');
    });

    test.each(['/register', '/send-again', '/forgot-password'])(
      '%s runs no scripts and cannot be framed',
      async (path) => {
        const { html, response } = await visitor.open(path);
        const policy = response.headers.get('content-security-policy') ?? '';
        expect(policy).toContain("default-src 'none'");
        expect(policy).toContain("frame-ancestors 'none'");
        expect(policy).toMatch(/form-action 'self'(;|$)/);
        expect(response.headers.get('cache-control')).toBe('no-store');
        // The icon stands in its own address.
        expect(html.replace(PAGE_ICON, '')).not.toMatch(/<script|<link|<img|\ssrc=|\sstyle=|url\(|@import/);
        for (const [, id] of html.matchAll(/<input id="(\w+)"/g)) expect(html).toContain(`<label for="${id}">`);
        expect(response.headers.get('set-cookie')).toMatch(
          /^kethub_form=[\w-]{32}; Path=\/auth; HttpOnly; SameSite=Lax$/,
        );
      },
    );

    test('the sign-in page leads to both', async () => {
      const { auth, api } = server.platform.addresses;
      const url = new URL(`${auth}/authorize`);
      const parameters = {
        client_id: 'kethub',
        redirect_uri: `${new URL(api).origin}/callback`,
        response_type: 'code',
        scope: 'openid',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      const { html } = await visitor.open(url.href.slice(auth.length));
      expect(html).toContain('<a href="/auth/forgot-password">');
      expect(html).toContain('<a href="/auth/register">');
    });
  });
});
