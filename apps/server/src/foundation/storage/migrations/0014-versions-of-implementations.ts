import { sql, type Kysely } from 'kysely';

/** Finds the versions of services that were made of an implementation. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index service_versions_by_implementation on service_versions (source_implementation_id, created_at)
    where source_implementation_id is not null`.execute(db);
}
