import { sql, type Kysely } from 'kysely';

/**
 * A message with an id stays until its time is up, also after somebody has got it: a repetition is refused until then. A message
 * start event has one active instance for each correlation key.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workflow_messages add column correlated_at bigint`.execute(db);
  await sql`create index workflow_messages_open on workflow_messages (id) where correlated_at is null`.execute(db);
  await sql`create table workflow_start_keys (
    start_key text primary key, instance_id text not null references workflow_instances (id) on delete cascade)`.execute(
    db,
  );
  await sql`create index workflow_start_keys_of_instance on workflow_start_keys (instance_id)`.execute(db);
}
