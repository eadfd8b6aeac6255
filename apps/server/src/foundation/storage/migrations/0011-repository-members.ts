import { sql, SqliteAdapter, type Kysely } from 'kysely';

const STATEMENTS = [
  'alter table implementations add column protects_default bigint not null default 1 check (protects_default in (0, 1))',
  `alter table implementations add column protected_patterns text not null default '[]'`,
  `create table implementation_invitations (
    id text primary key,
    implementation_id text not null references implementations (id) on delete cascade,
    email text not null,
    role text not null check (role in ('VIEWER', 'MAINTAINER', 'OWNER')),
    invited_by text not null,
    created_at bigint not null,
    expires_at bigint not null,
    unique (implementation_id, email)
  )`,
  'create index implementation_invitations_by_email on implementation_invitations (email)',
];

/** Invitations to implementations, and branches that pushes neither delete nor rewrite. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = async (queries: Kysely<unknown>): Promise<void> => {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(queries);
  };
  // Kysely runs migrations in a transaction on PostgreSQL only.
  if (db.getExecutor().adapter instanceof SqliteAdapter) await db.transaction().execute(run);
  else await run(db);
}
