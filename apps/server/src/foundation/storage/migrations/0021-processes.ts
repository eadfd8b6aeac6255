import { sql, SqliteAdapter, type Kysely } from 'kysely';

/**
 * Several processes on one database: what they must have in common, which workers there are, whose a build is, and the
 * copies of logs that somebody reads in another process than the one that writes them.
 */
const statements = [
  `create table installation (
    id text primary key check (id = 'this'), sealed_check text not null, blob_store text not null,
    created_at bigint not null)`,
  `create table workers (
    id text primary key, host text not null, beats bigint not null, seen_at bigint not null, lost_at bigint)`,
  `insert into workers (id, host, beats, seen_at)
    select distinct worker_id, '', 0, 0 from executions where status = 'RUNNING' and worker_id is not null`,
  `alter table builds add column worker_id text`,
  `create table followed_logs (
    log_id text primary key, copied bigint not null, asked bigint not null, answered bigint not null)`,
  `create table log_copies (
    log_id text not null, from_byte bigint not null, next_byte bigint not null, text text not null,
    primary key (log_id, from_byte))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  const run = async (queries: Kysely<unknown>): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  if (db.getExecutor().adapter instanceof SqliteAdapter) await db.transaction().execute(run);
  else await run(db);
}
