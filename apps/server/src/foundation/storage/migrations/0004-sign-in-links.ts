import { sql, type Kysely } from 'kysely';

const statements = [
  `create table sign_in_links (
    issuer text not null, subject text not null,
    identity_id text not null references identities (id) on delete cascade, created_at bigint not null,
    primary key (issuer, subject))`,
  `create index sign_in_links_of_identity on sign_in_links (identity_id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
