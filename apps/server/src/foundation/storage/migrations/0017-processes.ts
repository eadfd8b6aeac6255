import { sql, type Kysely } from 'kysely';

/** Processes of the installation, which report themselves for operators. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create table processes (
        id text primary key,
        host text not null,
        roles text not null,
        version text not null,
        schema text not null,
        worker_id text,
        driver text check (driver in ('SANDBOX', 'KUBERNETES', 'SLURM')),
        disk_bytes bigint,
        disk_free_bytes bigint,
        started_at bigint not null,
        seen_at bigint not null
      )`,
    )
    .execute(db);
}
