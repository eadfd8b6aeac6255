import { decodeJwt } from 'jose';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startTestAccounts, type TestAccounts } from '../../../testing/accounts.ts';
import { Browser } from '../../../testing/browser.ts';
import { databases } from '../../../testing/databases.ts';
import { mailsTo, waitingMails } from '../../../testing/outbox.ts';
import { ADA, visitorOf } from '../../../testing/registration.ts';

const KNOWN = 'known@example.org';
const ATTACK = 'the password of the attacker';

describe.each(databases())('attacks on registration on $name', ({ open }) => {
  let server: TestAccounts;
  let visitor: ReturnType<typeof visitorOf>;
  beforeAll(async () => {
    server = await startTestAccounts(open, { settings: { KETHUB_REGISTRATION: 'open' } });
    visitor = visitorOf(server);
    await server.addUser('known');
  });
  afterAll(() => server.close());

  const rows = (table: 'registrations' | 'mail_tokens') =>
    server.platform.database.read.selectFrom(table).selectAll().execute();
  const subjectOf = (session: { access_token: string } | null) => decodeJwt(session?.access_token ?? '').sub;

  test('registering a known and an unknown address looks the same, does the same and signs in the same', async () => {
    const seen = [];
    for (const email of [KNOWN, 'unknown@example.org']) {
      const before = {
        registrations: (await rows('registrations')).length,
        tokens: (await rows('mail_tokens')).length,
      };
      const { response, html } = await visitor.register({ email, password: ATTACK });
      const session = await visitor.signIn(email, ATTACK);
      const status = await server.call('GET', `/user-registration-status?email=${email}`, session?.access_token);
      seen.push({
        status: response.status,
        headers: [...response.headers].filter(([name]) => !['date', 'x-request-id', 'set-cookie'].includes(name)),
        html,
        registrations: (await rows('registrations')).length - before.registrations,
        tokens: (await rows('mail_tokens')).length - before.tokens,
        registration: await status.json(),
        me: (await server.call('GET', '/me', session?.access_token)).status,
        wrong: await visitor.signIn(email, 'neither of the passwords'),
        mails: (await mailsTo(server.platform, email)).length,
      });
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]).toMatchObject({ status: 200, registrations: 1, mails: 1, me: 403, wrong: null });
    const [mail] = await mailsTo(server.platform, KNOWN);
    expect(mail?.subject).toBe('You have an account at Kethub already');
    expect(mail?.text).not.toMatch(/[0-9a-f]{40}/);
    // Nothing of the account has changed.
    const me = await server.call('GET', '/me', (await server.signIn('known')).access_token);
    expect(await me.json()).toMatchObject({ username: 'known', firstname: 'Ada' });
  });

  test.each(['/send-again', '/forgot-password'])('%s answers alike for every address', async (path) => {
    const answers = [];
    for (const email of [KNOWN, 'unknown@example.org', `nobody${path.length}@example.org`]) {
      const before = (await mailsTo(server.platform, email)).length;
      const { response, html } = await visitor.submit(path, { email });
      answers.push([response.status, html, (await mailsTo(server.platform, email)).length - before]);
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.[0]).toBe(200);
    expect(answers[0]?.[2]).toBe(1);
  });

  test('who registers the address of somebody else never gets into their account, whatever link they follow', async () => {
    const email = 'victim@example.org';
    await visitor.register({ email, username: 'evil', firstname: 'Eve', password: ATTACK });
    const planted = await visitor.newestToken(email);
    const attacker = await visitor.signIn(email, ATTACK);
    await visitor.register({ email });
    const own = await visitor.newestToken(email);
    expect(own).not.toBe(planted);

    // The link of the attacker, followed by the owner, who knows another password.
    const refused = await visitor.verify(planted, ADA.password);
    expect([refused.response.status, refused.html.includes('This is not the password')]).toEqual([400, true]);
    expect((await visitor.verify(own)).html).toContain('You can sign in now.');

    const session = await visitor.signIn(email);
    const me = await server.call('GET', '/me', session?.access_token);
    expect(await me.json()).toMatchObject({ username: email, firstname: 'Ada', lastname: 'Lovelace' });
    // The attacker knows a password of a registration that leads nowhere.
    for (const name of [email, 'evil']) {
      const other = await visitor.signIn(name, ATTACK);
      if (other === null) continue;
      expect(subjectOf(other)).not.toBe(subjectOf(session));
      expect((await server.call('GET', '/me', other.access_token)).status).toBe(403);
    }
    expect((await server.call('GET', '/me', attacker?.access_token)).status).toBe(403);
    const late = await visitor.verify(planted, ATTACK);
    expect([late.response.status, late.html.includes('There is an account with this address already')]).toEqual([
      400,
      true,
    ]);
    expect((await server.call('GET', '/me', attacker?.access_token)).status).toBe(403);
  });

  test('a registration of a stranger cannot be turned into an account by a new password either', async () => {
    const email = 'planted@example.org';
    await visitor.register({ email, password: ATTACK });
    await visitor.submit('/forgot-password', { email });
    const mails = await mailsTo(server.platform, email);
    expect(mails.map(({ subject }) => subject)).toEqual([
      'Confirm your e-mail address for Kethub',
      'No account at Kethub with this e-mail address',
    ]);
    for (const { text } of mails.slice(1)) expect(text).not.toMatch(/[0-9a-f]{40}/);
  });

  test('guessing the password behind a link is slowed down', async () => {
    const email = 'guessed@example.org';
    await visitor.register({ email });
    const token = await visitor.newestToken(email);
    for (let round = 0; round < 10; round += 1) {
      expect((await visitor.verify(token, `guess number ${round}`)).response.status).toBe(400);
    }
    const refused = await visitor.verify(token);
    expect(refused.response.status).toBe(429);
    expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('a taken username is reported, also when it was taken meanwhile; of two at once one gets it', async () => {
    expect((await visitor.register({ email: 'x@example.org', username: 'KNOWN' })).html).toContain(
      'id="username-error"',
    );
    expect(await mailsTo(server.platform, 'x@example.org')).toEqual([]);
    const emails = ['first@example.org', 'second@example.org', 'third@example.org'];
    for (const email of emails) await visitor.register({ email, username: 'wanted' });
    const tokens = await Promise.all(emails.map((email) => visitor.newestToken(email)));
    const pages = await Promise.all(tokens.map((token) => visitor.verify(token)));
    expect(pages.filter(({ html }) => html.includes('You can sign in now.'))).toHaveLength(1);
    expect(pages.filter(({ html }) => html.includes('Somebody else has taken the username'))).toHaveLength(2);
    expect((await server.call('GET', '/me', (await visitor.signIn('wanted'))?.access_token)).status).toBe(200);
  });

  test('of two registrations of one address that are confirmed at once, one makes the account', async () => {
    const email = 'twice@example.org';
    const passwords = ['the password of the phone', 'the password of the desk'] as const;
    const tokens: string[] = [];
    for (const password of passwords) {
      await visitor.register({ email, password });
      tokens.push(await visitor.newestToken(email));
    }
    const pages = await Promise.all(tokens.map((token, index) => visitor.verify(token, passwords[index])));
    const won = pages.findIndex(({ html }) => html.includes('You can sign in now.'));
    expect(pages.map(({ response }) => response.status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    const session = await visitor.signIn(email, passwords[won]);
    expect((await server.call('GET', '/me', session?.access_token)).status).toBe(200);
    const identities = await server.platform.database.read
      .selectFrom('identities')
      .where('email', '=', email)
      .selectAll()
      .execute();
    expect(identities).toHaveLength(1);
  });

  test('one link that is used twice at once makes one account', async () => {
    const email = 'double@example.org';
    await visitor.register({ email });
    const token = await visitor.newestToken(email);
    const pages = await Promise.all([visitor.verify(token), visitor.verify(token), visitor.verify(token)]);
    expect(pages.filter(({ html }) => html.includes('You can sign in now.'))).toHaveLength(1);
  });

  test.each(['/register', '/send-again', '/forgot-password'])(
    'another page cannot send the form of %s',
    async (path) => {
      const { auth } = server.platform.addresses;
      const email = `forged${path.length}@example.org`;
      const body = new URLSearchParams({ ...ADA, email });
      const post = (headers: Record<string, string>, more: Record<string, string> = {}) =>
        fetch(auth + path, {
          method: 'POST',
          headers,
          body: new URLSearchParams({ ...Object.fromEntries(body), ...more }),
        });
      const shown = await fetch(auth + path);
      const cookie = (shown.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      const form = /name="form" value="([^"]+)"/.exec(await shown.text())?.[1] ?? '';
      const other = (await fetch(auth + path)).headers.get('set-cookie')?.split(';')[0] ?? '';
      for (const [headers, fields] of [
        [{}, {}],
        [{ cookie }, {}],
        [{}, { form }],
        [{ cookie: other }, { form }],
        [{ cookie, 'sec-fetch-site': 'cross-site' }, { form }],
        [{ cookie, 'sec-fetch-site': 'same-site' }, { form }],
      ] as const) {
        const answer = await post(headers, fields);
        expect(answer.status).toBe(400);
        expect(await answer.text()).toContain('belongs to another browser');
      }
      expect(await mailsTo(server.platform, email)).toEqual([]);
      expect((await post({ cookie, 'sec-fetch-site': 'same-origin' }, { form })).status).toBe(200);
    },
  );

  test('a token is good for what it was sent for, and only as a whole', async () => {
    const email = 'purpose@example.org';
    await visitor.register({ email });
    const token = await visitor.newestToken(email);
    const wrong = [`/password/${token}`, `/verify/${token.slice(1)}`, `/verify/${token.toUpperCase()}`, '/verify/%00'];
    for (const path of wrong) expect((await visitor.open(path)).response.status).toBe(400);
    expect((await visitor.setPassword(token, 'another good password')).response.status).toBe(400);
    expect((await visitor.verify(token)).response.status).toBe(200);
  });

  test('nothing that was sent by mail is stored in clear', async () => {
    const email = 'resting@example.org';
    await visitor.register({ email });
    const token = await visitor.newestToken(email);
    const kept = JSON.stringify([await rows('registrations'), await rows('mail_tokens')]);
    expect(kept).not.toContain(token);
    expect(kept).not.toContain(ADA.password);
    expect(kept).toContain('$argon2id$');
  });
});

test.each(databases())('a registration makes no network one of the owner of an account, on $name', async ({ open }) => {
  const server = await startTestAccounts(open);
  onTestFinished(() => server.close());
  const { register, signIn } = visitorOf(server);
  await server.addUser('known');
  await register({ email: KNOWN, password: ATTACK });
  const familiar = () => server.platform.database.read.selectFrom('sign_in_networks').selectAll().execute();
  expect(await signIn(KNOWN, ATTACK)).not.toBeNull();
  expect(await familiar()).toEqual([]);
  for (let round = 1; round < 10; round += 1) await signIn(KNOWN, ATTACK);
  // Otherwise guesses at the account could be hidden among these.
  expect(await signIn(KNOWN, ATTACK)).toBeNull();
  await server.signIn('known');
  expect(await familiar()).toHaveLength(1);
});

describe.each(databases())('flooding on $name', ({ open }) => {
  test('one mailbox gets five mails at once and then one an hour, and no caller learns of it', async () => {
    let later = 0;
    const server = await startTestAccounts(open, { now: () => Date.now() + later });
    onTestFinished(() => server.close());
    const { submit, register } = visitorOf(server);
    const answers = [];
    for (let round = 0; round < 8; round += 1) {
      const email = `ada+${round}@example.org`;
      const answer = round % 2 === 0 ? await register({ email }) : await submit('/forgot-password', { email });
      answers.push(answer.response.status);
    }
    const received = async () => {
      const all = Array.from({ length: 12 }, (_none, round) => mailsTo(server.platform, `ada+${round}@example.org`));
      return (await Promise.all(all)).flat().length;
    };
    expect(answers).toEqual(Array.from({ length: 8 }, () => 200));
    expect(await received()).toBe(5);
    later = 60 * 60 * 1000;
    for (const round of [8, 9]) await submit('/send-again', { email: `ada+${round}@example.org` });
    expect(await received()).toBe(6);
  });

  test('one network has a hundred mails sent, and then has to wait', async () => {
    // The clock stands still: every 36 seconds one more would be allowed.
    const now = Date.now();
    const server = await startTestAccounts(open, { now: () => now });
    onTestFinished(() => server.close());
    const browser = new Browser();
    const page = await browser.open(new URL(`${server.platform.addresses.auth}/forgot-password`));
    const submit = (email: string) => browser.submit(page, { email });
    for (let round = 0; round < 100; round += 1) {
      expect((await submit(`person${round}@example.org`)).response.status).toBe(200);
    }
    const refused = await submit('one-more@example.org');
    expect(refused.response.status).toBe(429);
    expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.html).toContain('Try again in a minute.');
    expect(await mailsTo(server.platform, 'one-more@example.org')).toEqual([]);
    expect(await waitingMails(server.platform)).toBe(0);
  });
});

test.each(databases())('no line of the log holds an address, a token or a password, on $name', async ({ open }) => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const server = await startTestAccounts(open, {
    log,
    settings: { KETHUB_ADMINISTRATORS: 'boss@example.org' },
  });
  onTestFinished(() => server.close());
  const visitor = visitorOf(server);
  await visitor.register();
  const token = await visitor.newestToken(ADA.email);
  await visitor.open(`/verify/${token}`);
  await visitor.verify(token, 'a wrong password');
  await visitor.verify(token);
  await visitor.submit('/forgot-password', { email: ADA.email });
  const reset = await visitor.newestToken(ADA.email);
  await visitor.setPassword(reset, 'another good password');
  const text = lines.join('');
  expect(text).toContain('mails are written to files');
  for (const secret of ['ada@', 'boss@', token, reset, ADA.password, 'a wrong password', 'another good password']) {
    expect(text).not.toContain(secret);
  }
});
