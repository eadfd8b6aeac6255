import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/** A keyed hash of whom a mail is for, so that the mails of a person who is deleted are found. Null in older rows. */
const both = [
  `alter table outgoing_mails add column recipient text`,
  `create index outgoing_mails_of_recipient on outgoing_mails (recipient)`,
  `alter table account_deletions add column recipients text not null default '[]'`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  const run = async (queries: Kysely<Tables>): Promise<void> => {
    for (const statement of both) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  if (dialectOf(db) === 'sqlite') await db.transaction().execute(run);
  else await run(db);
}
