import { sql, type Kysely } from 'kysely';

/** The time until which no blob is removed, because a backup copies them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table installation add column blobs_held_until bigint not null default 0').execute(db);
}
