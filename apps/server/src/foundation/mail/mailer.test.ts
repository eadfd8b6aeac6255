import { readdir } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { databases, type TestDatabaseKind } from '../../testing/databases.ts';
import { mailsTo, until, waitingMails } from '../../testing/outbox.ts';
import { createTestPlatform, freePort } from '../../testing/platform.ts';
import { CERTIFICATE, startSmtpServer } from '../../testing/smtp-server.ts';
import { createMailer, type Mail } from './index.ts';

const MINUTES = 60 * 1000;
const MAIL: Mail = {
  to: 'ada@example.org',
  subject: 'Hello',
  text: `The page:\n\nhttp://127.0.0.1/${'a'.repeat(90)}\n`,
};
const FROM = 'Kethub <kethub@example.org>';

/** A platform for mailers, with a movable clock and a log that can be read. */
async function start(open: TestDatabaseKind['open'], settings: Record<string, string> = {}) {
  let later = 0;
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const platform = await createTestPlatform(open, { now: () => Date.now() + later, log, settings });
  onTestFinished(() => platform.close());
  const post = async (mailer: ReturnType<typeof createMailer>, mail: Mail = MAIL): Promise<void> => {
    await platform.database.write((transaction) => mailer.post(transaction, mail, platform.now() + 60 * MINUTES));
    mailer.wake();
  };
  return { platform, lines, post, wait: (milliseconds: number) => void (later += milliseconds) };
}

const smtp = (port: number, credentials = '', scheme = 'smtp') => ({
  KETHUB_SMTP_URL: `${scheme}://${credentials}localhost:${port}`,
  KETHUB_MAIL_FROM: FROM,
});

describe.each(databases())('mail on $name', ({ open }) => {
  test('without a mail server each is a file that only we can read, with its link in one piece', async () => {
    const { platform, post } = await start(open);
    const mailer = createMailer(platform);
    await post(mailer);
    await post(mailer, { ...MAIL, subject: 'Second' });
    const mails = await mailsTo(platform, MAIL.to);
    expect(mails).toMatchObject([
      { mode: 0o600, subject: 'Hello', text: MAIL.text },
      { mode: 0o600, subject: 'Second' },
    ]);
    const names = await readdir(path.join(platform.configuration.dataDir, 'outbox'));
    expect(names).toHaveLength(2);
    await mailer.close();
  });

  test('a transaction that fails sends nothing', async () => {
    const { platform } = await start(open);
    const mailer = createMailer(platform);
    const failing = platform.database.write(async (transaction) => {
      await mailer.post(transaction, MAIL, platform.now() + MINUTES);
      throw new Error('after the mail');
    });
    await expect(failing).rejects.toThrow('after the mail');
    mailer.wake();
    await mailer.close();
    expect(await mailsTo(platform, MAIL.to)).toEqual([]);
  });

  test('while the mail server is down mails wait sealed, also over a restart, and are sent when it is back', async () => {
    const port = await freePort();
    const { platform, lines, post, wait } = await start(open, smtp(port));
    const before = createMailer(platform);
    await post(before);
    await until(() => Promise.resolve(lines.some((line) => line.includes('could not be handed over'))));
    await before.close();
    const rows = await platform.database.read.selectFrom('outgoing_mails').selectAll().execute();
    expect(rows).toMatchObject([{ attempts: 1 }]);
    for (const clear of [MAIL.to, 'aaaaaaaa']) expect(JSON.stringify(rows) + lines.join('')).not.toContain(clear);

    const server = await startSmtpServer({ port });
    onTestFinished(() => server.close());
    wait(5_000);
    const after = createMailer(platform);
    await until(async () => (await waitingMails(platform)) === 0);
    expect(server.received).toMatchObject([{ from: 'kethub@example.org', to: [MAIL.to] }]);
    const content = server.received[0]?.content ?? '';
    expect(content).toContain(`Message-ID: <${rows[0]?.id}@example.org>`);
    expect(content).toContain('Auto-Submitted: auto-generated');
    await after.close();
  });

  test('a mail that is refused is tried again, later and later, and given up when it is of no use', async () => {
    const server = await startSmtpServer();
    onTestFinished(() => server.close());
    server.refusing = true;
    const { platform, lines, post, wait } = await start(open, smtp(server.port));
    const mailer = createMailer(platform);
    await post(mailer);
    const refusals = () => lines.filter((line) => line.includes('could not be handed over')).length;
    for (const [attempt, delay] of [5_000, 30_000, 2 * MINUTES].entries()) {
      await until(() => Promise.resolve(refusals() === attempt + 1));
      expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ attempts: attempt + 1, responseCode: 451 });
      wait(delay);
      mailer.wake();
    }
    await until(() => Promise.resolve(refusals() === 4));
    wait(60 * MINUTES);
    mailer.wake();
    await until(async () => (await waitingMails(platform)) === 0);
    expect(lines.at(-1)).toContain('a mail was given up');
    expect(server.received).toEqual([]);
    expect(lines.join('')).not.toContain(MAIL.to);
    await mailer.close();
  });

  test('two processes send a mail once', async () => {
    const server = await startSmtpServer();
    onTestFinished(() => server.close());
    const { platform, post } = await start(open, smtp(server.port));
    const database = await platform.testDatabase.again();
    const mailers = [createMailer(platform), createMailer({ ...platform, database })] as const;
    for (let round = 0; round < 10; round += 1) {
      await post(mailers[0], { ...MAIL, subject: `Number ${round}` });
      mailers[1].wake();
    }
    await until(async () => (await waitingMails(platform)) === 0);
    const subjects = server.received.map(({ content }) => /^Subject: (.*)\r$/m.exec(content)?.[1] ?? '');
    expect(subjects.toSorted()).toEqual(Array.from({ length: 10 }, (_none, round) => `Number ${round}`));
    for (const mailer of mailers) await mailer.close();
    await database.close();
  });

  test('a mail server that says nothing does not hold up the end', async () => {
    const silent = net.createServer((socket) => void socket.on('error', () => undefined));
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    const { platform, lines, post } = await start(open, smtp((silent.address() as AddressInfo).port));
    const mailer = createMailer(platform);
    const connected = new Promise((resolve) => void silent.once('connection', resolve));
    await post(mailer);
    await connected;
    await mailer.close();
    // `close` aborts the delivery instead of waiting for it.
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ code: 'EABORT' });
    expect(await waitingMails(platform)).toBe(1);
    await new Promise((resolve) => void silent.close(resolve));
  });

  test.each([
    { to: 'ada@example.org\r\nBcc: eve@example.org' },
    { subject: 'Hello\nBcc: eve@example.org' },
    { subject: 'Hello\u2028Bcc: eve@example.org' },
  ])('a header cannot be smuggled in: %j', async (part) => {
    const { platform, post } = await start(open);
    const mailer = createMailer(platform);
    await expect(post(mailer, { ...MAIL, ...part })).rejects.toThrow('control character');
    await mailer.close();
  });
});

describe.each(databases())('the password of the mail server, on $name', ({ open }) => {
  const trusted = tls.getCACertificates('default');
  beforeAll(() => tls.setDefaultCACertificates([...trusted, CERTIFICATE]));
  afterAll(() => tls.setDefaultCACertificates(trusted));

  test.each([
    ['starttls', 'smtp'],
    ['implicit', 'smtps'],
  ] as const)('is given over TLS (%s)', async (encryption, scheme) => {
    const server = await startSmtpServer({ password: 'hunter/2', tls: encryption });
    onTestFinished(() => server.close());
    const { platform, lines, post } = await start(open, smtp(server.port, 'kethub:hunter%2F2@', scheme));
    const mailer = createMailer(platform);
    await post(mailer);
    await until(async () => (await waitingMails(platform)) === 0);
    expect(server.received).toMatchObject([{ encrypted: true, user: 'kethub', to: [MAIL.to] }]);
    expect(lines.join('')).not.toContain('hunter');
    await mailer.close();
  });

  test('that is wrong keeps the mail until it is right', async () => {
    const server = await startSmtpServer({ password: 'right' });
    onTestFinished(() => server.close());
    const { platform, lines, post, wait } = await start(open, smtp(server.port, 'kethub:wrong@'));
    const before = createMailer(platform);
    await post(before);
    await until(() => Promise.resolve(lines.some((line) => line.includes('"EAUTH"'))));
    await before.close();
    expect([server.received, await waitingMails(platform)]).toEqual([[], 1]);
    expect(lines.join('')).not.toMatch(/wrong@|"wrong"|d3Jvbmc/);
    wait(5_000);
    const { mail } = platform.configuration;
    const credentials = { user: 'kethub', password: 'right' };
    const configuration = {
      ...platform.configuration,
      mail: { ...mail, smtp: mail.smtp && { ...mail.smtp, credentials } },
    };
    const after = createMailer({ ...platform, configuration });
    await until(async () => (await waitingMails(platform)) === 0);
    expect(server.received).toHaveLength(1);
    await after.close();
  });

  test.each([
    ['speaks no TLS', 'none', true],
    ['has a certificate that nobody trusts', 'starttls', false],
  ] as const)('is not given to a server that %s', async (_what, encryption, trust) => {
    tls.setDefaultCACertificates(trust ? [...trusted, CERTIFICATE] : trusted);
    onTestFinished(() => tls.setDefaultCACertificates([...trusted, CERTIFICATE]));
    const server = await startSmtpServer({ password: 'secret', tls: encryption });
    onTestFinished(() => server.close());
    const { platform, lines, post } = await start(open, smtp(server.port, 'kethub:secret@'));
    const mailer = createMailer(platform);
    await post(mailer);
    await until(() => Promise.resolve(lines.some((line) => line.includes('could not be handed over'))));
    expect([server.attempts, server.received, await waitingMails(platform)]).toEqual([[], [], 1]);
    await mailer.close();
  });

  test('is not needed by a relay, which is spoken to in TLS when it can', async () => {
    tls.setDefaultCACertificates(trusted);
    onTestFinished(() => tls.setDefaultCACertificates([...trusted, CERTIFICATE]));
    for (const encryption of ['starttls', 'none'] as const) {
      const server = await startSmtpServer({ tls: encryption });
      const { platform, post } = await start(open, smtp(server.port));
      const mailer = createMailer(platform);
      await post(mailer);
      await until(async () => (await waitingMails(platform)) === 0);
      expect(server.received).toMatchObject([{ encrypted: encryption === 'starttls' }]);
      await mailer.close();
      await server.close();
    }
  });
});
