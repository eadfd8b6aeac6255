import { sql, SqliteAdapter, type Kysely } from 'kysely';

/** Open incidents of what an instance has called, so that lists and filters find the caller as well. */
const statements = [
  'alter table workflow_instances add column child_incidents bigint not null default 0',
  `with recursive standing (instance_id, incidents) as (
    select parent_id, incidents from workflow_instances where parent_id is not null and incidents > 0
    union all
    select parent.parent_id, standing.incidents from standing
      join workflow_instances as parent on parent.id = standing.instance_id where parent.parent_id is not null
  )
  update workflow_instances set child_incidents =
    (select sum(incidents) from standing where standing.instance_id = workflow_instances.id)
    where id in (select instance_id from standing)`,
  'drop index workflow_instances_with_incidents',
  `create index workflow_instances_that_stand on workflow_instances (service_version_id, id)
    where incidents + child_incidents > 0`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  const run = async (queries: Kysely<unknown>): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(queries);
  };
  // Kysely runs migrations in a transaction on PostgreSQL only.
  if (db.getExecutor().adapter instanceof SqliteAdapter) await db.transaction().execute(run);
  else await run(db);
}
