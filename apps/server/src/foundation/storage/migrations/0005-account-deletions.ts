import { sql, type Kysely } from 'kysely';

const statements = [
  // No foreign key: this record is made in the transaction that deletes the user, and outlives it.
  `create table account_deletions (
    user_id text primary key, image_blob text, begun_at bigint not null, ended_at bigint)`,
  `create index account_deletions_to_do on account_deletions (user_id) where ended_at is null`,
  `create index account_deletions_by_end on account_deletions (ended_at)`,
  `create table unused_blobs (blob text primary key, noted_at bigint not null)`,
  `create index unused_blobs_by_age on unused_blobs (noted_at)`,
  `alter table oidc_records add column account_id text`,
  `create index oidc_records_of_account on oidc_records (account_id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
