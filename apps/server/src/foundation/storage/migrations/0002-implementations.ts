import { sql, SqliteAdapter, type Kysely } from 'kysely';

const STATEMENTS = [
  `create table implementations (
    id text primary key,
    owner_type text not null check (owner_type in ('USER', 'ORGANIZATION')),
    owner_id text not null,
    name text not null,
    description text not null,
    visibility text not null check (visibility in ('PRIVATE', 'PUBLIC')),
    default_branch text not null,
    head text,
    buildable text check (buildable in ('PYTHON_TEMPLATE', 'DOCKER')),
    bytes bigint not null check (bytes >= 0),
    pushed_at bigint,
    created_at bigint not null,
    revision bigint not null
  )`,
  'create index implementations_of_owner on implementations (owner_type, owner_id, id)',
  `create index implementations_public on implementations (id) where visibility = 'PUBLIC'`,
  `create table implementation_members (
    implementation_id text not null references implementations (id) on delete cascade,
    member_type text not null check (member_type in ('USER', 'ORGANIZATION')),
    member_id text not null,
    role text not null check (role in ('VIEWER', 'MAINTAINER', 'OWNER')),
    created_at bigint not null,
    primary key (implementation_id, member_type, member_id)
  )`,
  'create index implementations_of_member on implementation_members (member_type, member_id, implementation_id)',
  // Every name at which an implementation answers, also its former ones.
  `create table implementation_names (
    owner_id text not null,
    name text not null,
    implementation_id text not null references implementations (id) on delete cascade,
    primary key (owner_id, name)
  )`,
  'create index names_of_implementation on implementation_names (implementation_id)',
];

/** Tables of implementations, their members and their names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = async (queries: Kysely<unknown>): Promise<void> => {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(queries);
  };
  // Kysely runs migrations in a transaction on PostgreSQL only.
  if (db.getExecutor().adapter instanceof SqliteAdapter) await db.transaction().execute(run);
  else await run(db);
}
