import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMailer } from '../../foundation/mail/index.ts';
import { startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { databases, type TestDatabaseKind } from '../../testing/databases.ts';
import { settle } from '../../testing/leaving.ts';
import { mailsTo, until, waitingMails } from '../../testing/outbox.ts';
import { freePort } from '../../testing/platform.ts';

const MINUTES = 60 * 1000;

describe.each(databases())('mails of people who are deleted, on $name', ({ name, open }) => {
  test('what waits in the outbox is gone, also what an earlier version has put there; that of others stays', async () => {
    const server = await start(open, { KETHUB_SMTP_URL: `smtp://localhost:${await freePort()}` });
    const ada = await settle(server, 'ada');
    await post(server, 'ADA@example.org');
    await post(server, 'ada@example.org');
    await post(server, 'bob@example.org');
    await server.platform.database.write((transaction) =>
      transaction.updateTable('outgoing_mails').set({ recipient: null }).where('attempts', '>=', 0).execute(),
    );
    await post(server, 'ada@example.org');
    expect(await waitingMails(server.platform)).toBe(4);
    expect((await server.call('DELETE', '/me', ada.session)).status).toBe(204);
    const left = await server.platform.database.read.selectFrom('outgoing_mails').selectAll().execute();
    expect(left).toHaveLength(1);
    expect(server.platform.seal.unseal('outgoing_mails', left[0]?.sealed_content ?? '')).toContain('bob@');
  });

  test('files in the outbox are gone, also one that an earlier version has named', async () => {
    const server = await start(open);
    const ada = await settle(server, 'ada');
    for (const to of ['ada@example.org', 'bob@example.org', 'ada@example.org']) await post(server, to);
    expect(await mailsTo(server.platform, 'ada@example.org')).toHaveLength(2);
    const folder = path.join(server.platform.configuration.dataDir, 'outbox');
    const old = '2026-01-01T00-00-00 0193.eml';
    await writeFile(path.join(folder, old), 'From: Kethub\nTo: ada@example.org\nSubject: Old\n\nHello');
    expect((await server.call('DELETE', '/me', ada.session)).status).toBe(204);
    expect(await mailsTo(server.platform, 'ada@example.org')).toEqual([]);
    expect(await mailsTo(server.platform, 'bob@example.org')).toHaveLength(1);
    expect(await readdir(folder)).not.toContain(old);
  });

  test('a mail that is being written to a file while the person is deleted leaves none', async () => {
    const server = await start(open);
    await server.identity.mailer?.close();
    const ada = await settle(server, 'ada');
    await post(server, 'ada@example.org');
    const { database } = server.platform;
    let writes = 0;
    const write: typeof database.write = async (work) => {
      // The first claims the mail; the second is made when its file is there.
      if (++writes === 2) expect((await server.call('DELETE', '/me', ada.session)).status).toBe(204);
      return database.write(work);
    };
    const mailer = createMailer({ ...server.platform, database: { ...database, write } });
    mailer.wake();
    await until(() => Promise.resolve(writes >= 2));
    await mailer.close();
    expect(await readdir(path.join(server.platform.configuration.dataDir, 'outbox'))).toEqual([]);
  });

  test('links in mails, and registrations of the address that nobody has confirmed, are gone', async () => {
    const server = await start(open);
    const ada = await settle(server, 'ada');
    const { database } = server.platform;
    await database.write(async (transaction) => {
      const person = { username: 'ada2', email: 'ada@example.org', firstname: 'A', lastname: 'L', password_hash: 'x' };
      await transaction
        .insertInto('registrations')
        .values({ id: 'r1', ...person, created_at: Date.now() })
        .execute();
      for (const subject of ['r1', ada.id])
        await transaction
          .insertInto('mail_tokens')
          .values({ digest: subject, purpose: 'VERIFY_EMAIL', subject, expires_at: Date.now() + MINUTES })
          .execute();
    });
    await server.call('DELETE', '/me', ada.session);
    expect(await database.read.selectFrom('registrations').selectAll().execute()).toEqual([]);
    expect(await database.read.selectFrom('mail_tokens').selectAll().execute()).toEqual([]);
  });

  test.runIf(name === 'SQLite')('no file of the database holds the name or the address', async () => {
    const server = await start(open);
    const person = await settle(server, 'quetzalcoatl');
    const { sqliteFile } = server.platform.testDatabase.address;
    const found = async (): Promise<string[]> => {
      const folder = path.dirname(sqliteFile);
      const names = (await readdir(folder)).filter((one) => one.startsWith('kethub.db') && !one.endsWith('-shm'));
      const contains = await Promise.all(
        names.map(async (one) => (await readFile(path.join(folder, one))).toString('latin1').includes(person.username)),
      );
      return names.filter((_one, index) => contains[index]);
    };
    expect(await found()).not.toEqual([]);
    expect((await server.call('DELETE', '/me', person.session)).status).toBe(204);
    await expect.poll(found, { timeout: 30_000 }).toEqual([]);
  });
});

async function start(open: TestDatabaseKind['open'], settings: Record<string, string> = {}): Promise<TestAccounts> {
  const server = await startTestAccounts(open, {
    settings: { ...settings, ...('KETHUB_SMTP_URL' in settings && { KETHUB_MAIL_FROM: 'kethub@example.org' }) },
  });
  onTestFinished(() => server.close());
  return server;
}

async function post({ platform, identity }: TestAccounts, to: string): Promise<void> {
  await platform.database.write(async (transaction) =>
    identity.mailer?.post(transaction, { to, subject: 'Hello', text: 'x' }, platform.now() + 60 * MINUTES),
  );
  identity.mailer?.wake();
}
