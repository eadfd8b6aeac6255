import { sql, type Kysely } from 'kysely';

/** Workers on one machine know of each other, and what was cancelled counts until its processes are gone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workers add column machine text`.execute(db);
  await sql`create index executions_ending on executions (ended_at, owner_id, service_id, cpus, memory_bytes)
    where status = 'CANCELLED' and worker_id is not null and log is null and log_blob is null`.execute(db);
  // Looked through in this order, a page after the other.
  await sql`drop index queues_by_turn`.execute(db);
  await sql`create index queues_by_turn on queues (turn_at, owner_id, service_version_id)`.execute(db);
}
