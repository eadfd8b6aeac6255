import { sql, type Kysely } from 'kysely';

/** Which runtime a version is for, and which workers can run containers: a column each, because work is looked for by them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table service_versions add column runtime text not null default 'PYTHON_TEMPLATE'`.execute(db);
  await sql`alter table workers add column containers bigint not null default 0`.execute(db);
}
