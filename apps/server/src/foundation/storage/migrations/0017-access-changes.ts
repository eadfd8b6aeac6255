import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/** What decides over the calls of applications: the changes that concern one application, and those of a service's subscribers. */
const ofApplication = [
  ['applications', 'id', ['update', 'delete']],
  ['access_keys', 'application_id', ['insert', 'update', 'delete']],
  ['subscriptions', 'application_id', ['insert', 'update', 'delete']],
] as const;
const ofService = [
  ['services', 'id', ['update']],
  ['service_versions', 'service_id', ['update', 'delete']],
  ['former_addresses', 'service_id', ['insert', 'delete']],
  ['shares', 'service_id', ['insert', 'update', 'delete']],
] as const;

type Event = 'insert' | 'update' | 'delete';
const rowOf = (event: Event): string => (event === 'delete' ? 'old' : 'new');

function sqlite(): string[] {
  const trigger = (table: string, event: Event, body: string): string =>
    `create trigger ${table}_${event}_changes_access after ${event} on ${table} begin ${body}; end`;
  const now = 'unixepoch() * 1000';
  return [
    `create table access_changes (number integer primary key autoincrement, application_id text not null, created_at bigint not null)`,
    `create index access_changes_by_age on access_changes (created_at)`,
    ...ofApplication.flatMap(([table, id, events]) =>
      events.map((event) =>
        trigger(
          table,
          event,
          `insert into access_changes (application_id, created_at) values (${rowOf(event)}.${id}, ${now})`,
        ),
      ),
    ),
    ...ofService.flatMap(([table, id, events]) =>
      events.map((event) =>
        trigger(
          table,
          event,
          `insert into access_changes (application_id, created_at)
            select distinct application_id, ${now} from subscriptions where service_id = ${rowOf(event)}.${id}`,
        ),
      ),
    ),
  ];
}

/** With the id of the transaction: rows become visible in another order than they get their numbers. */
function postgres(): string[] {
  const now = `(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  const trigger = (table: string, id: string, event: Event, kind: string): string =>
    `create trigger ${table}_${event}_changes_access after ${event} on ${table}
      for each row execute function access_changed_of_${kind}('${id}')`;
  const body = (select: string): string => `declare changed text; begin
    changed := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end ->> tg_argv[0];
    insert into access_changes (application_id, transaction_id, created_at) ${select};
    return null; end`;
  const columns = `pg_current_xact_id()::text::bigint, ${now}`;
  return [
    `create table access_changes (
      number bigint generated always as identity primary key, application_id text not null, transaction_id bigint not null,
      created_at bigint not null)`,
    `create index access_changes_by_transaction on access_changes (transaction_id)`,
    `create index access_changes_by_age on access_changes (created_at)`,
    `create function access_changed_of_application() returns trigger language plpgsql as
      $$ ${body(`values (changed, ${columns})`)} $$`,
    `create function access_changed_of_service() returns trigger language plpgsql as
      $$ ${body(`select distinct application_id, ${columns} from subscriptions where service_id = changed`)} $$`,
    ...ofApplication.flatMap(([table, id, events]) => events.map((event) => trigger(table, id, event, 'application'))),
    ...ofService.flatMap(([table, id, events]) => events.map((event) => trigger(table, id, event, 'service'))),
  ];
}

export async function up(db: Kysely<Tables>): Promise<void> {
  const statements = dialectOf(db) === 'sqlite' ? sqlite() : postgres();
  for (const statement of statements) await sql.raw(statement).execute(db);
}
