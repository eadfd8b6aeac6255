import { sql, type Kysely } from 'kysely';

/** What a version says about itself: its description, and until when it can be started. */
const statements = [
  `create table api_specifications (
    service_version_id text primary key references service_versions (id) on delete cascade, document text not null)`,
  `alter table service_versions add column derived_schemas text`,
  `alter table service_versions add column deprecated_at bigint`,
  `alter table service_versions add column sunset_at bigint`,
  `create index service_versions_by_id on service_versions (service_id, id)`,
  // A list of services reads by owner in the order of ids.
  `create index services_of_owner on services (owner_type, owner_id, id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
