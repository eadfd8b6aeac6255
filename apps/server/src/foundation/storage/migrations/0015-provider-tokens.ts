import { sql, type Kysely } from 'kysely';

const statements = [
  `create table provider_access_tokens (
    owner_type text not null check (owner_type in ('USER', 'ORGANIZATION')), owner_id text not null, provider text not null,
    sealed_credentials text not null, hint text not null, created_at bigint not null, updated_at bigint not null,
    revision bigint not null, primary key (owner_type, owner_id, provider))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
