import { sql, SqliteAdapter, type Kysely } from 'kysely';

/** Open incidents of instances, so that they are grouped and filtered without reading states. */
const statements = [
  `create table workflow_incidents (
    id text primary key,
    instance_id text not null references workflow_instances (id) on delete cascade,
    incident bigint not null,
    service_version_id text not null,
    element_id text not null,
    element bigint not null,
    type text not null,
    error_code text not null,
    error text not null,
    at bigint not null
  )`,
  'create unique index workflow_incidents_of_instance on workflow_incidents (instance_id, incident)',
  'create index workflow_incidents_of_version on workflow_incidents (service_version_id, id)',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  const run = async (queries: Kysely<unknown>): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(queries);
  };
  // Kysely runs migrations in a transaction on PostgreSQL only.
  if (db.getExecutor().adapter instanceof SqliteAdapter) await db.transaction().execute(run);
  else await run(db);
}
