import { sql, type Kysely } from 'kysely';

/** Jobs whose execution is at a provider's service are asked about as well. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index workflow_jobs_due`.execute(db);
  await sql`create index workflow_jobs_due on workflow_jobs (due, id)
    where state in ('OPEN', 'ENDED', 'CANCELLING', 'REMOTE')`.execute(db);
}
