import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/** For whom an instance runs stands beside what it waits for: owners take turns, however much one of them has. */
const statements = [
  `alter table workflow_instances add column owner text not null default ''`,
  `alter table workflow_events add column owner text not null default ''`,
  `alter table workflow_jobs add column owner text not null default ''`,
  `update workflow_instances set owner =
    coalesce((select owner_type || ' ' || owner_id from executions where executions.id = execution_id), '')`,
  `update workflow_events set owner =
    (select owner from workflow_instances where workflow_instances.id = workflow_events.instance_id)`,
  `update workflow_jobs set owner =
    (select owner from workflow_instances where workflow_instances.id = workflow_jobs.instance_id)`,
  `create index workflow_events_of_owner on workflow_events (owner, id)`,
  `create index workflow_jobs_of_owner on workflow_jobs (owner, due, id)
    where state in ('OPEN', 'ENDED', 'CANCELLING', 'REMOTE')`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  const run = async (queries: Kysely<Tables>): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  await (dialectOf(db) === 'sqlite' ? db.transaction().execute(run) : run(db));
}
