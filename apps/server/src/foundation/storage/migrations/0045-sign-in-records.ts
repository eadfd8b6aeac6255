import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/** Entries of the audit log that stand for many of a kind, such as the wrong passwords of a day from one network. */
const both = [
  `alter table audit_entries add column merged_under text`,
  `alter table audit_entries add column times bigint not null default 1`,
  `alter table audit_entries add column last_at bigint`,
  `create unique index audit_entries_merged on audit_entries (merged_under)`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  const run = async (queries: Kysely<Tables>): Promise<void> => {
    for (const statement of both) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  if (dialectOf(db) === 'sqlite') await db.transaction().execute(run);
  else await run(db);
}
