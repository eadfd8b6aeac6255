import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/**
 * What was used in a month (UTC), added up in the transaction that records it: a month of a million records is read from
 * some rows. Micros are the rest below a unit. On PostgreSQL sixteen rows share the work, so that executions of one
 * consumer that end at once hardly wait for each other.
 */
const table = `create table usage_sums (
  consumer_type text not null, consumer_id text not null, provider_type text not null, provider_id text not null,
  month text not null, subscription_id text not null, product text not null, shard bigint not null,
  records bigint not null, units bigint not null, micros bigint not null,
  primary key (consumer_type, consumer_id, month, subscription_id, product, provider_type, provider_id, shard))`;

const indexes = [
  `create index usage_sums_of_provider on usage_sums
    (provider_type, provider_id, month, subscription_id, product, consumer_type, consumer_id, shard)`,
  // A month was added up from these.
  `drop index usage_of_consumer`,
  `drop index usage_of_provider`,
];

const keys = 'consumer_type, consumer_id, provider_type, provider_id, month, subscription_id, product, shard';
const parties = (row: string): string =>
  ['consumer_type', 'consumer_id', 'provider_type', 'provider_id'].map((column) => `${row}${column}`).join(', ');
const added = `do update set records = usage_sums.records + excluded.records,
  units = usage_sums.units + excluded.units, micros = usage_sums.micros + excluded.micros`;

const fill = (month: string, shard: string): string => `
  insert into usage_sums (${keys}, records, units, micros)
  select ${parties('')}, ${month}, subscription_id, product, ${shard}, count(*), sum(amount / 1000000),
    sum(amount % 1000000)
  from usage_records where test = 0
  group by ${parties('')}, ${month}, subscription_id, product`;

function sqlite(): string[] {
  const month = (row: string): string => `strftime('%Y-%m', ${row}occurred_at / 1000, 'unixepoch')`;
  const trigger = (event: string, row: string, sign: string): string =>
    `create trigger usage_${event}_is_added_up after ${event} on usage_records when ${row}.test = 0 begin
      insert into usage_sums (${keys}, records, units, micros)
      values (${parties(`${row}.`)}, ${month(`${row}.`)}, ${row}.subscription_id, ${row}.product, 0, ${sign}1,
        ${sign}(${row}.amount / 1000000), ${sign}(${row}.amount % 1000000))
      on conflict ${added}; end`;
  return [`${table} without rowid`, ...indexes, fill(month(''), '0'), trigger('insert', 'new', ''), trigger('delete', 'old', '-')]; // prettier-ignore
}

function postgres(): string[] {
  const month = (row: string): string =>
    `to_char(to_timestamp(${row}occurred_at / 1000) at time zone 'UTC', 'YYYY-MM')`;
  const of = (event: string, row: string, sign: string): string[] => [
    `create function usage_${event}_is_added_up() returns trigger language plpgsql as $$ begin
      insert into usage_sums (${keys}, records, units, micros)
      values (${parties(`${row}.`)}, ${month(`${row}.`)}, ${row}.subscription_id, ${row}.product,
        pg_backend_pid() % 16, ${sign}1, ${sign}(${row}.amount / 1000000), ${sign}(${row}.amount % 1000000))
      on conflict (${keys}) ${added};
      return null; end $$`,
    `create trigger usage_${event}_is_added_up after ${event} on usage_records
      for each row when (${row}.test = 0) execute function usage_${event}_is_added_up()`,
  ];
  return [table, ...indexes, fill(month(''), '0'), ...of('insert', 'new', ''), ...of('delete', 'old', '-')];
}

export async function up(db: Kysely<Tables>): Promise<void> {
  const statements = dialectOf(db) === 'sqlite' ? sqlite() : postgres();
  for (const statement of statements) await sql.raw(statement).execute(db);
}
