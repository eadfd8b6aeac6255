import { sql, SqliteAdapter, type Kysely } from 'kysely';

/** SQLite cannot take NOT NULL from a column: another one takes its place. */
const optionalOnSqlite = [
  `drop index executions_of_subscription`,
  `alter table executions add column through_subscription text`,
  `alter table executions add column through_application text`,
  `update executions set through_subscription = subscription_id, through_application = application_id`,
  `alter table executions drop column subscription_id`,
  `alter table executions drop column application_id`,
  `alter table executions rename column through_subscription to subscription_id`,
  `alter table executions rename column through_application to application_id`,
];

const optionalOnPostgres = [
  `drop index executions_of_subscription`,
  `alter table executions alter column subscription_id drop not null`,
  `alter table executions alter column application_id drop not null`,
];

const both = [
  `create index executions_of_subscription on executions (subscription_id, id) where subscription_id is not null`,
  `alter table executions add column owner_type text check (owner_type in ('USER', 'ORGANIZATION'))`,
  `alter table executions add column owner_id text`,
  `alter table executions add column person_id text`,
  `alter table executions add column service_id text`,
  // Of an application or a service that is gone nobody knows any more whose it was.
  `update executions set
    owner_type = (select owner_type from applications where applications.id = application_id),
    owner_id = (select owner_id from applications where applications.id = application_id),
    service_id = (select service_id from service_versions where service_versions.id = service_version_id)`,
  `create index executions_of_owner on executions (owner_type, owner_id, id)`,
  `create index executions_of_owner_by_service on executions (owner_type, owner_id, service_id, id)`,
  `create index executions_of_service on executions (service_id, id)`,
  // No foreign key to users: a recipient may come from an external identity provider and never have been here.
  `create table shares (
    id text primary key, service_id text not null references services (id) on delete cascade, user_id text,
    organization_id text references organizations (id) on delete cascade, start_at bigint, end_at bigint,
    created_at bigint not null, revision bigint not null, check ((user_id is null) <> (organization_id is null)))`,
  `create index shares_of_service on shares (service_id, id)`,
  `create index shares_with_user on shares (user_id, service_id) where user_id is not null`,
  `create index shares_with_organization on shares (organization_id, service_id) where organization_id is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  if (db.getExecutor().adapter instanceof SqliteAdapter) {
    // All of it or nothing, which on PostgreSQL the migrator itself sees to.
    await db.transaction().execute((transaction) => run(transaction, [...optionalOnSqlite, ...both]));
  } else await run(db, [...optionalOnPostgres, ...both]);
}

async function run(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
