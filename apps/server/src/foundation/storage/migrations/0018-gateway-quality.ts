import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

const limits = `requests_per_minute bigint, executions_per_day bigint, executions_per_month bigint`;

const tables = [
  `alter table executions add column trace_parent text`,
  `create table service_limits (
    service_id text primary key references services (id) on delete cascade, ${limits})`,
  `create table subscription_limits (
    subscription_id text primary key references subscriptions (id) on delete cascade, ${limits})`,
  // One row per day or month (2026-11-21, 2026-11) in which a quota was counted.
  `create table execution_counts (
    subscription_id text not null references subscriptions (id) on delete cascade, period text not null,
    taken bigint not null, primary key (subscription_id, period))`,
  `create index subscriptions_of_service on subscriptions (service_id, id)`,
  `create index audit_entries_of_action on audit_entries (owner_type, owner_id, action, id)`,
  `create index audit_entries_of_resource on audit_entries (owner_type, owner_id, resource_id, id)`,
  `create index audit_entries_by_age on audit_entries (created_at)`,
];

/** Limits decide over the calls of applications: every process learns of their changes (0017-access-changes). */
const concerned = [
  ['service_limits', 'select distinct application_id from subscriptions where service_id = new.service_id'],
  ['subscription_limits', 'select application_id from subscriptions where id = new.subscription_id'],
] as const;

const sqliteTriggers = concerned.flatMap(([table, applications]) =>
  ['insert', 'update'].map(
    (event) =>
      `create trigger ${table}_${event}_changes_access after ${event} on ${table} begin
        insert into access_changes (application_id, created_at)
        select application_id, unixepoch() * 1000 from (${applications}); end`,
  ),
);

const postgresTriggers = concerned.flatMap(([table, applications]) => [
  `create function ${table}_change_access() returns trigger language plpgsql as $$ begin
    insert into access_changes (application_id, transaction_id, created_at)
    select application_id, pg_current_xact_id()::text::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint
    from (${applications}) as concerned;
    return null; end $$`,
  `create trigger ${table}_changes_access after insert or update on ${table}
    for each row execute function ${table}_change_access()`,
]);

export async function up(db: Kysely<Tables>): Promise<void> {
  const triggers = dialectOf(db) === 'sqlite' ? sqliteTriggers : postgresTriggers;
  for (const statement of [...tables, ...triggers]) await sql.raw(statement).execute(db);
}
