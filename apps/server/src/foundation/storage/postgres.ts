import { EventEmitter } from 'node:events';
import { createHash } from 'node:crypto';
import { Kysely, PostgresDialect, type Compilable } from 'kysely';
import { Pool, types, type PoolClient, type QueryResultRow } from 'pg';
import type { Database } from './database.ts';
import { backendOf, Listener, Notifier } from './listener.ts';
import type { Tables } from './schema.ts';
import { runBatch, StatementBatch } from './statement-batch.ts';

/** Connections in the pool of a process, unless a setting names others; beyond them queries wait. */
const CONNECTIONS = 16;

// Every bigint of the schema is a time in milliseconds or a count, far below 2^53.
types.setTypeParser(types.builtins.INT8, Number);

/** Opens PostgreSQL. Notifications use LISTEN/NOTIFY on one channel; the receivers also poll, in case one is lost. */
export async function openPostgres(
  url: string,
  connections = CONNECTIONS,
): Promise<Database & { readonly migrations: Kysely<Tables> }> {
  const pool = new Pool({ connectionString: url, max: connections, application_name: 'kethub' });
  // An idle connection that the server ends must not end the process; the next query opens another.
  pool.on('error', () => undefined);
  const queries = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const signals = new EventEmitter();
  signals.setMaxListeners(0);
  const backends = new Map<PoolClient, number>();
  pool.on('connect', (client) => {
    backends.set(client, backendOf(client));
    // Nor must a connection in use that the server ends, such as in a transaction: its next query fails.
    client.on('error', () => undefined);
  });
  pool.on('remove', (client) => void backends.delete(client));
  const isOwn = (backend: number): boolean => backends.values().some((one) => one === backend);
  const deliver = (notification: string): void => {
    const space = notification.indexOf(' ');
    signals.emit(notification.slice(0, space), notification.slice(space + 1));
  };
  const listener = new Listener(url, isOwn, deliver);
  const notifier = new Notifier((statement, payloads) => pool.query(statement, [payloads]), deliver, listener);
  await listener.start();
  return {
    dialect: 'postgres',
    read: queries,
    migrations: queries,
    write: (work) => queries.transaction().execute(work),
    async writeBatch(add) {
      const batch = new StatementBatch(queries);
      add(batch);
      if (batch.isOne) await batch.run();
      else await queries.transaction().execute((transaction) => runBatch(transaction, add));
    },
    prepare<Row>(query: Compilable<Row>) {
      const text = query.compile().sql;
      const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
      return async (parameters: readonly unknown[]) =>
        (await pool.query<Row & QueryResultRow>({ name, text, values: [...parameters] })).rows;
    },
    notify: (channel, payload) => notifier.notify(`${channel} ${payload}`),
    listen(channel, listener) {
      signals.on(channel, listener);
      return () => void signals.off(channel, listener);
    },
    setListening: (isListening) => listener.setListening(isListening),
    overwriteDeleted: () => Promise.resolve(),
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await listener.stop();
      await queries.destroy();
    },
  };
}
