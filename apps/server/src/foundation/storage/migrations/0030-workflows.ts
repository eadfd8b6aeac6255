import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/**
 * Workflow services: what a version is compiled from, instances with their journal, and what they wait for. The id of a
 * job is that of the execution that it starts, so none is started twice.
 */
const tables = [
  `create table workflow_versions (
    service_version_id text primary key references service_versions (id) on delete cascade,
    application_id text, process_id text, requirements text, problems text not null)`,
  `create table workflow_instances (
    id text primary key, execution_id text not null references executions (id) on delete cascade,
    parent_id text references workflow_instances (id) on delete cascade, parent_child bigint,
    service_version_id text not null, process_id text, depth bigint not null, phase text not null, revision bigint not null,
    incidents bigint not null, state text, bytes bigint not null, sealed_secrets text, created_at bigint not null, ended_at bigint)`,
  `create index workflow_instances_of_execution on workflow_instances (execution_id)`,
  `create index workflow_instances_of_parent on workflow_instances (parent_id) where parent_id is not null`,
  `create index workflow_instances_with_incidents on workflow_instances (service_version_id, id) where incidents > 0`,
  `create index workflow_instances_of_version on workflow_instances (service_version_id, id)`,
  `create table workflow_events (
    id text primary key, instance_id text not null references workflow_instances (id) on delete cascade,
    dedupe_key text, event text not null, bytes bigint not null)`,
  `create unique index workflow_events_once on workflow_events (dedupe_key) where dedupe_key is not null`,
  `create index workflow_events_of_instance on workflow_events (instance_id, id)`,
  `create table workflow_journal (
    instance_id text not null references workflow_instances (id) on delete cascade, seq bigint not null,
    at bigint not null, type text not null, entry text not null, primary key (instance_id, seq))`,
  `create table workflow_jobs (
    id text primary key, instance_id text not null references workflow_instances (id) on delete cascade,
    job bigint not null, element_id text not null, state text not null, service text not null,
    input text, application_id text, due bigint not null, attempts bigint not null, locked_until bigint not null,
    address text)`,
  `create unique index workflow_jobs_of_instance on workflow_jobs (instance_id, job)`,
  `create index workflow_jobs_due on workflow_jobs (due, id) where state in ('OPEN', 'ENDED', 'CANCELLING')`,
  `create table workflow_timers (
    instance_id text not null references workflow_instances (id) on delete cascade, timer bigint not null,
    element_id text not null, due bigint not null, primary key (instance_id, timer))`,
  `create index workflow_timers_due on workflow_timers (due, instance_id)`,
  `create table workflow_subscriptions (
    instance_id text not null references workflow_instances (id) on delete cascade, subscription bigint not null,
    element_id text not null, service_id text not null, message_name text not null, correlation_key text not null,
    primary key (instance_id, subscription))`,
  `create index workflow_subscriptions_by_key
    on workflow_subscriptions (service_id, message_name, correlation_key, instance_id)`,
  `create table workflow_messages (
    id text primary key, service_id text not null references services (id) on delete cascade,
    name text not null, correlation_key text not null, variables text not null, message_id text,
    created_at bigint not null, expires_at bigint not null)`,
  `create unique index workflow_messages_once on workflow_messages (service_id, name, correlation_key, message_id)
    where message_id is not null`,
  `create index workflow_messages_expiry on workflow_messages (expires_at)`,
  `create table workflow_schedules (
    service_version_id text not null references service_versions (id) on delete cascade, element_id text not null,
    due bigint not null, timer text, primary key (service_version_id, element_id))`,
  `create index workflow_schedules_due on workflow_schedules (due)`,
];

/** Whichever way the execution of a job ends, the job learns of it in the same transaction. */
const sqlite = [
  `create trigger executions_end_workflow_jobs after update of ended_at on executions
    when new.ended_at is not null and old.ended_at is null begin
      update workflow_jobs set state = 'ENDED', due = 0, locked_until = 0 where id = new.id and state = 'STARTED'; end`,
];

const postgres = [
  `create function execution_ends_workflow_job() returns trigger language plpgsql as $$ begin
    update workflow_jobs set state = 'ENDED', due = 0, locked_until = 0 where id = new.id and state = 'STARTED';
    return null; end $$`,
  `create trigger executions_end_workflow_jobs after update of ended_at on executions for each row
    when (new.ended_at is not null and old.ended_at is null) execute function execution_ends_workflow_job()`,
  // A state is rewritten at each step, and none of its columns is indexed but those that seldom change.
  `alter table workflow_instances set (fillfactor = 80)`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  const run = async (queries: Kysely<Tables>, statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  if (dialectOf(db) === 'sqlite') await db.transaction().execute((queries) => run(queries, [...tables, ...sqlite]));
  else await run(db, [...tables, ...postgres]);
}
