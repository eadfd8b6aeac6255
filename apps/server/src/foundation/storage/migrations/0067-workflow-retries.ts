import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/** How often a timer or a timer start event has failed in a row; of a start also why, and since when it stands still. */
const both = [
  `alter table workflow_timers add column attempts bigint not null default 0`,
  `alter table workflow_schedules add column attempts bigint not null default 0`,
  `alter table workflow_schedules add column failure text`,
  `alter table workflow_schedules add column stopped_at bigint`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  const run = async (queries: Kysely<Tables>): Promise<void> => {
    for (const statement of both) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  if (dialectOf(db) === 'sqlite') await db.transaction().execute(run);
  else await run(db);
}
