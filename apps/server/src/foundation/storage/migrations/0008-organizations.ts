import { sql, type Kysely } from 'kysely';

/** No foreign keys to users: a member may come from an external identity provider and never have been here. */
const statements = [
  `create table organizations (id text primary key, name text not null, created_at bigint not null, revision bigint not null)`,
  `create table memberships (
    organization_id text not null references organizations (id) on delete cascade, user_id text not null,
    role text not null check (role in ('VIEWER', 'MAINTAINER', 'OWNER')), created_at bigint not null,
    primary key (organization_id, user_id))`,
  `create index memberships_of_user on memberships (user_id)`,
  `create table invitations (
    id text primary key, organization_id text not null references organizations (id) on delete cascade,
    email text not null, role text not null check (role in ('VIEWER', 'MAINTAINER', 'OWNER')), invited_by text not null,
    created_at bigint not null, expires_at bigint not null, unique (organization_id, email))`,
  `create index invitations_by_email on invitations (email)`,
  `create table former_addresses (
    owner_id text not null, slug text not null, service_id text not null references services (id) on delete cascade,
    primary key (owner_id, slug))`,
  `create index former_addresses_of_service on former_addresses (service_id)`,
  // What happened stays, also when what it happened to is gone.
  `create table audit_entries (
    id text primary key, owner_type text not null check (owner_type in ('USER', 'ORGANIZATION')), owner_id text not null,
    actor_id text not null, action text not null, resource_id text not null, detail text not null, created_at bigint not null)`,
  `create index audit_entries_of_owner on audit_entries (owner_type, owner_id, id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
