import { sql, type Kysely } from 'kysely';

/** A message that an application publishes is for what its subscription has started, and its id is its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workflow_messages add column subscription_id text`.execute(db);
  await sql`drop index workflow_messages_once`.execute(db);
  await sql`create unique index workflow_messages_once on workflow_messages
    (service_id, name, correlation_key, message_id, coalesce(subscription_id, '')) where message_id is not null`.execute(
    db,
  );
  await sql`create index workflow_messages_of_subscription on workflow_messages (subscription_id)
    where subscription_id is not null`.execute(db);
}
