import { sql, SqliteAdapter, type Kysely } from 'kysely';

const STATEMENTS = [
  `alter table implementations add column read_only text check (read_only in ('IMPORT', 'MIRROR'))`,
  `create table implementation_imports (
    implementation_id text primary key references implementations (id) on delete cascade,
    url text not null,
    sealed_credential text,
    mirror bigint not null check (mirror in (0, 1)),
    state text not null check (state in ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED')),
    progress text,
    problem text,
    failures bigint not null,
    next_at bigint,
    set_by text not null,
    created_at bigint not null,
    started_at bigint,
    ended_at bigint
  )`,
  'create index imports_due on implementation_imports (next_at) where next_at is not null',
];

/** Imports and mirrors of other repositories. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = async (queries: Kysely<unknown>): Promise<void> => {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(queries);
  };
  // Kysely runs migrations in a transaction on PostgreSQL only.
  if (db.getExecutor().adapter instanceof SqliteAdapter) await db.transaction().execute(run);
  else await run(db);
}
