import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create table on_premise_targets (
        service_version_id text primary key references service_versions (id) on delete cascade, url text not null,
        timeout_ms bigint not null, sealed_credentials text)`,
    )
    .execute(db);
}
