import { sql, type Kysely } from 'kysely';

/** No foreign keys to users or organizations: whoever deletes these removes them from the members. */
const statements = [
  `create table data_pools (
    id text primary key, owner_type text not null check (owner_type in ('USER', 'ORGANIZATION')), owner_id text not null,
    name text not null, description text not null, files bigint not null check (files >= 0),
    bytes bigint not null check (bytes >= 0), created_at bigint not null, revision bigint not null)`,
  `create index data_pools_of_owner on data_pools (owner_type, owner_id, id)`,
  `create table data_pool_members (
    data_pool_id text not null references data_pools (id) on delete cascade,
    member_type text not null check (member_type in ('USER', 'ORGANIZATION')), member_id text not null,
    role text not null check (role in ('VIEWER', 'MAINTAINER', 'OWNER')), created_at bigint not null,
    primary key (data_pool_id, member_type, member_id))`,
  `create index data_pools_of_member on data_pool_members (member_type, member_id, data_pool_id)`,
  `create table data_pool_files (
    id text primary key, data_pool_id text not null references data_pools (id) on delete cascade, name text not null,
    blob text not null, bytes bigint not null, media_type text not null, digest text not null,
    created_at bigint not null, updated_at bigint not null, unique (data_pool_id, name))`,
  `create index data_pool_files_in_order on data_pool_files (data_pool_id, id)`,
  `alter table executions add column data_pools text`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
