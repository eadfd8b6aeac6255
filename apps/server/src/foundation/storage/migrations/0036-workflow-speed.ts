import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/** What a step of an instance writes is written with less: a step is as fast as its rows, their indexes and checks. */
const both = [
  // Nearly every job is due at once, and only the others are looked for by their time.
  `drop index workflow_jobs_due`,
  `create index workflow_jobs_due on workflow_jobs (due, id)
    where due > 0 and state in ('OPEN', 'ENDED', 'CANCELLING', 'REMOTE')`,
];

/**
 * Who writes jobs and the journal of an instance holds its row or has just written it, so no foreign key has to look for it row by row. What the
 * foreign keys took away with an instance, the trigger does.
 */
const postgres = [
  `alter table workflow_journal drop constraint workflow_journal_instance_id_fkey`,
  `alter table workflow_jobs drop constraint workflow_jobs_instance_id_fkey`,
  `create function workflow_instances_gone() returns trigger language plpgsql as $$ begin
    delete from workflow_journal where instance_id in (select id from gone);
    delete from workflow_jobs where instance_id in (select id from gone);
    return null; end $$`,
  `create trigger workflow_instances_gone after delete on workflow_instances referencing old table as gone
    for each statement execute function workflow_instances_gone()`,
  // A state grows with its first step, and finds room in its page: then no index is written.
  `alter table workflow_instances set (fillfactor = 50)`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  const run = async (queries: Kysely<Tables>, statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  if (dialectOf(db) === 'sqlite') await db.transaction().execute((queries) => run(queries, both));
  else await run(db, [...both, ...postgres]);
}
