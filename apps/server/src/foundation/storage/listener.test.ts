import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { databases, type TestDatabase } from '../../testing/databases.ts';
import { Listener, Notifier } from './listener.ts';
import { openPostgres } from './postgres.ts';

const waiting = { timeout: 30_000, interval: 50 };

describe.each(databases().filter(({ name }) => name === 'PostgreSQL'))(
  'notifications between processes on $name',
  (kind) => {
    let opened: TestDatabase;
    beforeEach(async () => {
      opened = await kind.open();
    });
    afterEach(() => opened.close());

    test('reach a process that has just begun to listen, and one that has listened before', async () => {
      const another = await opened.again();
      const heard: string[] = [];
      const listen = (name: string, { listen }: typeof another): void =>
        void listen('news', (text) => heard.push(`${name} ${text}`));
      listen('first', opened.database);
      listen('second', another);
      // The first has noticed the second by now, or does so in a moment.
      await vi.waitFor(() => {
        opened.database.notify('news', 'of the first');
        expect(heard).toContain('second of the first');
      }, waiting);
      another.notify('news', 'of the second');
      await vi.waitFor(() => expect(heard).toContain('first of the second'), waiting);
      await another.close();
      opened.database.notify('news', 'to nobody else');
      await vi.waitFor(() => expect(heard).toContain('first to nobody else'), waiting);
    });

    test('are received again by processes whose connections were lost', async () => {
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
      }, waiting);
      await another.close();
    });

    test('are received again by a process whose connection was lost again while it was restored', async () => {
      const { port, hostname } = new URL(opened.address.databaseUrl ?? '');
      const connections: (() => void)[] = [];
      const cuts = new Set([0, 1]);
      const server = net.createServer((near) => {
        const far = net.connect(Number(port), hostname);
        const number = connections.length;
        const cut = (): void => [near, far].forEach((socket) => socket.destroy());
        connections.push(cut);
        for (const socket of [near, far]) socket.on('error', cut).on('close', cut);
        near.on('data', (piece) => {
          if (piece.includes('pg_stat_activity') && cuts.delete(number)) cut();
          else far.write(piece);
        });
        far.pipe(near);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = new URL(opened.address.databaseUrl ?? '');
      url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      const heard: string[] = [];
      const listener = new Listener(
        url.href,
        () => false,
        (payload) => heard.push(payload),
      );
      await listener.start();
      await vi.waitFor(() => expect(connections).toHaveLength(3), waiting);
      heard.length = 0;
      await vi.waitFor(() => {
        opened.database.notify('news', 'again');
        expect(heard.some((payload) => payload.includes('again'))).toBe(true);
      }, waiting);
      await listener.stop();
      for (const cut of connections) cut();
      server.close();
    });

    test('are received by a process only while it listens, and reach others from it in any case', async () => {
      const another = await opened.again();
      const listeners = `select pid from pg_stat_activity
        where datname = current_database() and application_name = 'kethub listener'`;
      const heard = new Set<string>();
      opened.database.listen('news', (text) => heard.add(`first ${text}`));
      another.listen('news', (text) => heard.add(`second ${text}`));
      another.setListening?.(false);
      await vi.waitFor(async () => expect(await ask(opened, listeners)).toHaveLength(1), waiting);
      opened.database.notify('news', 'for nobody else');
      another.notify('news', 'of the second');
      await vi.waitFor(
        () => expect([...heard]).toEqual(expect.arrayContaining(['first of the second', 'second of the second'])),
        waiting,
      );
      another.setListening?.(true);
      await vi.waitFor(() => {
        opened.database.notify('news', 'of the first');
        expect([...heard]).toContain('second of the first');
      }, waiting);
      expect([...heard]).not.toContain('second for nobody else');
      // The last word counts, also while a connection is under way.
      for (const isListening of [false, true, false, true, false]) another.setListening?.(isListening);
      await vi.waitFor(async () => expect(await ask(opened, listeners)).toHaveLength(1), waiting);
      another.setListening?.(true);
      await vi.waitFor(async () => expect(await ask(opened, listeners)).toHaveLength(2), waiting);
      another.setListening?.(false);
      await another.close();
      await vi.waitFor(async () => expect(await ask(opened, listeners)).toHaveLength(1), waiting);
    });

    test('are received whatever application name the address sets', async () => {
      const url = new URL(opened.address.databaseUrl ?? '');
      url.searchParams.set('application_name', 'acme');
      const named = await openPostgres(url.href);
      const listeners = `select application_name from pg_stat_activity
        where datname = current_database() and application_name = 'kethub listener'`;
      expect(await ask(opened, listeners)).toHaveLength(2);
      await named.close();
    });

    test('are not sent while no other process listens, and are sent again when one does', async () => {
      const received = Promise.withResolvers<string>();
      opened.database.listen('news', received.resolve);
      opened.database.notify('news', 'alone');
      expect(await received.promise).toBe('alone');
      expect(await hasNotified(opened)).toBe(false);
      const another = await opened.again();
      await vi.waitFor(async () => {
        opened.database.notify('news', 'together');
        expect(await hasNotified(opened)).toBe(true);
      }, waiting);
      await another.close();
    });
  },
);

test('a process receives its own notifications, whether or not others listen', async () => {
  for (const hasCompany of [true, false]) {
    const [sent, heard]: [string[], string[]] = [[], []];
    const send = (_statement: string, payloads: readonly string[]): Promise<void> => {
      sent.push(...payloads);
      return Promise.reject(new Error('The database is away'));
    };
    const notifier = new Notifier(send, (payload) => heard.push(payload), { hasCompany });
    for (const payload of ['one', 'two', 'one']) notifier.notify(payload);
    await vi.waitFor(() => expect(heard).toEqual(['one', 'two']), waiting);
    expect(sent).toEqual(hasCompany ? ['one', 'two'] : []);
  }
});

/** Returns whether the last statement on any connection was a notification. */
async function hasNotified(opened: TestDatabase): Promise<boolean> {
  const others = 'select query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  return (await ask<{ query: string }>(opened, others)).some(({ query }) => query.includes('pg_notify'));
}

/** Runs a statement on a separate connection. */
async function ask<Row extends object>({ address: { databaseUrl } }: TestDatabase, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: databaseUrl ?? '' });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
