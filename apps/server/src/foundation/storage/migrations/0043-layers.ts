import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/** The layers of installed packages that each worker has, what an administrator wants of them, and which versions need them. */
const both = [
  `create table layers (
    worker_id text not null, layer text not null, python text not null, platform text not null, packages text not null,
    bytes bigint not null, created_at bigint not null, used_at bigint not null, wanted text, problem text,
    primary key (worker_id, layer))`,
  `alter table service_versions add column layer text`,
  `create index service_versions_of_layer on service_versions (layer) where layer is not null`,
];
const sqlite = `update service_versions set layer = json_extract(code, '$.layer') where code is not null`;
const postgres = `update service_versions set layer = code::json ->> 'layer' where code is not null`;

export async function up(db: Kysely<Tables>): Promise<void> {
  const run = async (queries: Kysely<Tables>, statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  if (dialectOf(db) === 'sqlite') await db.transaction().execute((queries) => run(queries, [...both, sqlite]));
  else await run(db, [...both, postgres]);
}
