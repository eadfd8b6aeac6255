import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/**
 * Whether an execution is one of a workflow, and the tags that its caller has given it. A tag stands beside what decides who
 * may see the execution, so that a list of one tag reads neither the executions of others nor those without the tag.
 */
const both = [
  `alter table executions add column type text not null default 'MANAGED' check (type in ('MANAGED', 'WORKFLOW'))`,
  `update executions set type = 'WORKFLOW' where id in (select execution_id from workflow_instances)
    or service_version_id in (select service_versions.id from service_versions
      join services on services.id = service_versions.service_id where services.type = 'WORKFLOW')`,
  `alter table executions add column tags text`,
  `create table execution_tags (
    execution_id text not null references executions (id) on delete cascade, tag text not null, subscription_id text,
    owner_type text, owner_id text, primary key (execution_id, tag))`,
  `create index execution_tags_of_owner on execution_tags (owner_type, owner_id, tag, execution_id)`,
  `create index execution_tags_of_subscription on execution_tags (subscription_id, tag, execution_id)
    where subscription_id is not null`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  const run = async (queries: Kysely<Tables>): Promise<void> => {
    for (const statement of both) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  if (dialectOf(db) === 'sqlite') await db.transaction().execute(run);
  else await run(db);
}
