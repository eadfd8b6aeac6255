import { sql, type Kysely } from 'kysely';

/** Names the table of each owner's last build after the queue that it orders, like `queues` of executions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table build_turns rename to build_queues`.execute(db);
}
