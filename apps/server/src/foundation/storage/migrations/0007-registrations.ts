import { sql, type Kysely } from 'kysely';

const statements = [
  // Who decides about a person at an identity provider that cannot compare and change in one step.
  `create table registration_decisions (subject text primary key, holder text not null, expires_at bigint not null)`,
  `create index identities_by_status on identities (status, id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
