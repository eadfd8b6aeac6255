import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/** A short description and tags of data pools, which clients of the `/qc-catalog` interface set. */
const both = [
  `alter table data_pools add column short_description text not null default ''`,
  `alter table data_pools add column tags text not null default '[]'`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  const run = async (queries: Kysely<Tables>): Promise<void> => {
    for (const statement of both) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  if (dialectOf(db) === 'sqlite') await db.transaction().execute(run);
  else await run(db);
}
