import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { databases, type TestDatabase } from '../testing/databases.ts';
import { Teller } from './listener.ts';

const patience = { timeout: 30_000, interval: 50 };

describe.each(databases.filter(({ name }) => name === 'PostgreSQL'))(
  'what processes tell one another on $name',
  (kind) => {
    let opened: TestDatabase;
    beforeEach(async () => {
      opened = await kind.open();
    });
    afterEach(() => opened.close());

    test('reaches whoever has just begun to listen, and whoever has been there', async () => {
      const another = await opened.again();
      const heard: string[] = [];
      const listen = (name: string, { listen }: typeof another): void =>
        void listen('news', (text) => heard.push(`${name} ${text}`));
      listen('first', opened.database);
      listen('second', another);
      // The first has been told of the second by now, or is in a moment.
      await vi.waitFor(() => {
        opened.database.notify('news', 'of the first');
        expect(heard).toContain('second of the first');
      }, patience);
      another.notify('news', 'of the second');
      await vi.waitFor(() => expect(heard).toContain('first of the second'), patience);
      await another.close();
      opened.database.notify('news', 'to nobody else');
      await vi.waitFor(() => expect(heard).toContain('first to nobody else'), patience);
    });

    test('is heard again by those whose connections were lost', async () => {
      const another = await opened.again();
      const heard = new Set<string>();
      opened.database.listen('news', (text) => heard.add(`first ${text}`));
      another.listen('news', (text) => heard.add(`second ${text}`));
      const ended = await ask<{ pid: number }>(
        opened,
        `select pid, pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'kethub listener'`,
      );
      expect(ended).toHaveLength(2);
      await vi.waitFor(() => {
        opened.database.notify('news', 'of the first');
        another.notify('news', 'of the second');
        expect([...heard]).toEqual(expect.arrayContaining(['first of the second', 'second of the first']));
      }, patience);
      await another.close();
    });

    test('is not sent where nobody else listens, and is again when somebody does', async () => {
      const told = Promise.withResolvers<string>();
      opened.database.listen('news', told.resolve);
      opened.database.notify('news', 'alone');
      expect(await told.promise).toBe('alone');
      expect(await hasNotified(opened)).toBe(false);
      const another = await opened.again();
      await vi.waitFor(async () => {
        opened.database.notify('news', 'together');
        expect(await hasNotified(opened)).toBe(true);
      }, patience);
      await another.close();
    });
  },
);

test('this process hears what it tells, whether or not others listen', async () => {
  for (const hasCompany of [true, false]) {
    const [sent, heard]: [string[], string[]] = [[], []];
    const send = (_statement: string, payloads: readonly string[]): Promise<void> => {
      sent.push(...payloads);
      return Promise.reject(new Error('The database is away'));
    };
    const teller = new Teller(send, (payload) => heard.push(payload), { hasCompany });
    for (const payload of ['one', 'two', 'one']) teller.tell(payload);
    await vi.waitFor(() => expect(heard).toEqual(['one', 'two']), patience);
    expect(sent).toEqual(hasCompany ? ['one', 'two'] : []);
  }
});

/** Whether the last statement of one of its connections was a notification. */
async function hasNotified(opened: TestDatabase): Promise<boolean> {
  const others = 'select query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  return (await ask<{ query: string }>(opened, others)).some(({ query }) => query.includes('pg_notify'));
}

/** Asks over a connection of its own. */
async function ask<Row extends object>({ place: { databaseUrl } }: TestDatabase, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: databaseUrl ?? '' });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
