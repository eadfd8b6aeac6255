import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, startTestAccounts, type TestAccounts } from '../../../testing/accounts.ts';
import type { Seen } from '../../../testing/browser.ts';
import { sqlite } from '../../../testing/databases.ts';
import { startTestUpstream, type TestUpstream } from '../../../testing/upstream.ts';
import { beginSignIn, upstreamButton } from '../../../testing/upstream-sign-in.ts';

const ADA = { sub: 'ada', email: 'ada@example.org', email_verified: true, name: 'Ada Lovelace' };

describe('another OpenID provider that is down or set up wrongly', () => {
  let upstream: TestUpstream;
  let server: TestAccounts;
  let logged: string;
  let later: number;
  beforeEach(async () => {
    upstream = await startTestUpstream();
    upstream.person = ADA;
    logged = '';
    later = 0;
  });
  afterEach(async () => {
    await server.close();
    await upstream.close();
  });

  async function start(changed: Record<string, string> = {}): Promise<void> {
    if (!sqlite) throw new Error('No database');
    const sink = new Writable({ write: (line, _encoding, done) => ((logged += String(line)), done()) });
    server = await startTestAccounts(sqlite.open, {
      settings: { ...upstream.settings, ...changed },
      now: () => Date.now() + later,
      log: pino({ level: 'info' }, sink),
    });
  }

  async function press(): Promise<Seen> {
    const { browser, page } = await beginSignIn(server);
    return browser.open(upstreamButton(page));
  }

  function expectOutage({ response, html }: Seen): void {
    expect(response.status).toBe(503);
    expect(html).toContain('role="alert">Example &lt;Lab&gt; does not answer.');
    expect(html).toContain('<label for="password">');
  }

  test.each(['REFUSE', 'SILENT'] as const)(
    'Kethub starts without it (%s), says so, and goes on when it is back',
    async (how) => {
      upstream.way.behave(how);
      await start();
      await server.addUser('grace');
      const { browser, page, redeem } = await beginSignIn(server);
      const outage = await browser.open(upstreamButton(page));
      expectOutage(outage);
      expect(logged).toContain('the provider at KETHUB_SIGN_IN_ISSUER does not answer');
      const callback = await browser.submit(outage, { username: 'grace', password: PASSWORD });
      expect((await server.call('GET', '/me', await redeem(callback.url))).status).toBe(200);
      upstream.way.behave('FORWARD');
      expect((await press()).url.searchParams.get('code')).not.toBeNull();
    },
  );

  test('one that goes down while somebody is there', async () => {
    await start();
    const { browser, page } = await beginSignIn(server);
    let { location } = await browser.visit(upstreamButton(page));
    while (location && location.pathname !== '/auth/sign-in/callback') ({ location } = await browser.visit(location));
    if (!location) throw new Error('The provider sent nobody back');
    upstream.way.behave('SILENT');
    const outage = await browser.open(location);
    expectOutage(outage);
    upstream.way.behave('FORWARD');
    // The code is spent or not: the person begins again, and nothing is left behind that hinders.
    expect((await browser.open(upstreamButton(outage))).url.searchParams.get('code')).not.toBeNull();
  });

  test('one that stays down is left alone for 10 s', async () => {
    await start();
    upstream.way.behave('REFUSE');
    for (let one = 0; one < 5; one++) expectOutage(await press());
    const before = upstream.way.connections();
    for (let one = 0; one < 5; one++) expectOutage(await press());
    expect(upstream.way.connections()).toBe(before);
    upstream.way.behave('FORWARD');
    later = 10_000;
    expect((await press()).url.searchParams.get('code')).not.toBeNull();
  });

  test('an issuer that the server does not name', async () => {
    await start({ KETHUB_SIGN_IN_ISSUER: `${upstream.issuer}/elsewhere` });
    expectOutage(await press());
    expect(logged).toContain(`discovery at KETHUB_SIGN_IN_ISSUER=${upstream.issuer}/elsewhere failed`);
  });

  test('a secret that is wrong is named in the log as far as it helps, and not repeated', async () => {
    await start({ KETHUB_SIGN_IN_CLIENT_SECRET: 'a-wrong-secret' });
    const { response, html } = await press();
    expect(response.status).toBe(400);
    expect(html).toContain('Signing in with Example &lt;Lab&gt; did not work.');
    expect(logged).toContain('invalid_client');
    expect(logged).not.toContain('a-wrong-secret');
    expect(logged).not.toContain('code=');
  });

  test('without the settings there is no button, and no way', async () => {
    const none = Object.fromEntries(Object.keys(upstream.settings).map((name) => [name, '']));
    await start(none);
    const { browser, page } = await beginSignIn(server);
    expect(() => upstreamButton(page)).toThrow('no button');
    expect((await browser.open(new URL(`${page.url.href}/upstream`))).response.status).toBe(404);
  });
});
