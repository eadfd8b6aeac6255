import { sql, type Kysely } from 'kysely';

/**
 * `lease` grows whenever a process takes a job: what an earlier holder writes is refused. `caller` is the process that sends
 * the start of a service elsewhere; such a job is nobody else's while that process may live. `service_version_id` is what
 * was called, so that it can be cancelled once nobody is subscribed to it any more.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workflow_jobs add column lease bigint not null default 0`.execute(db);
  await sql`alter table workflow_jobs add column caller text`.execute(db);
  await sql`alter table workflow_jobs add column service_version_id text`.execute(db);
  await sql`create index workflow_jobs_of_caller on workflow_jobs (caller) where caller is not null`.execute(db);
}
