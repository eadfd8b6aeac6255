import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/** Messages that instances throw wait to be published, in the turn of the owner for whom the instance runs. */
const both = [
  `alter table workflow_messages add column owner text`,
  `alter table workflow_messages add column depth bigint not null default 0`,
  `create index workflow_messages_thrown on workflow_messages (owner, id) where owner is not null`,
  `create index workflow_messages_kept on workflow_messages (service_id) where depth > 0`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  const run = async (queries: Kysely<Tables>): Promise<void> => {
    for (const statement of both) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  if (dialectOf(db) === 'sqlite') await db.transaction().execute(run);
  else await run(db);
}
