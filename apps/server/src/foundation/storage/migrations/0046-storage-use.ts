import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/**
 * The bytes that each owner keeps, counted by triggers in the transaction that writes them. On PostgreSQL each connection
 * has rows of its own (`shard`), so that two transactions never wait for each other's count.
 */
const counters = ['inputs', 'results', 'files', 'logs', 'data_pools', 'services'] as const;
type Counter = (typeof counters)[number];
type Counts = Readonly<Partial<Record<Counter, string>>>;

const table = `create table storage_use (
  owner_type text not null, owner_id text not null, shard bigint not null,
  ${counters.map((counter) => `${counter} bigint not null default 0`).join(', ')},
  primary key (owner_type, owner_id, shard))`;

const columns = [
  // Sizes of what lies in blobs; null where nothing does.
  `alter table executions add column result_bytes bigint`,
  `alter table executions add column log_bytes bigint`,
  `alter table executions add column file_bytes bigint`,
  // When its result, files and log were deleted because of their age.
  `alter table executions add column expired_at bigint`,
  `alter table builds add column log_bytes bigint`,
  // What lies behind all versions of a service: their sources, and the logs of their builds.
  `alter table services add column stored_bytes bigint not null default 0`,
  `alter table service_versions add column build_log_bytes bigint not null default 0`,
];

/** How long an owner keeps what was executed: for all services (an empty `service_id`), or for one. */
const rules = `create table retention_rules (
  owner_type text not null, owner_id text not null, service_id text not null, keep_days bigint not null,
  primary key (owner_type, owner_id, service_id))`;

/** What administrators allow one owner instead of what the installation allows everybody; null is no limit. */
const quotas = `create table storage_quotas (
  owner_type text not null, owner_id text not null, bytes bigint, primary key (owner_type, owner_id))`;

const keptIndex = `create index executions_kept on executions (owner_id, ended_at, service_id)
  where ended_at is not null and expired_at is null`;

const backfill = [
  `update executions set file_bytes = (select sum(bytes) from execution_files where execution_id = executions.id)
    where id in (select execution_id from execution_files)`,
  `update services set stored_bytes = coalesce(
    (select sum(source_bytes + build_log_bytes) from service_versions where service_id = services.id), 0)`,
];

const ifBlob = (row: string, part: string): string =>
  `case when ${row}.${part}_blob is null then 0 else coalesce(${row}.${part}_bytes, 0) end`;

/** What a row of `executions` keeps. */
const kept = (row: string, octets: (column: string) => string): Counts => {
  const text = (column: string): string => `coalesce(${octets(`${row}.${column}`)}, 0)`;
  return {
    inputs: `${text('input')} + ${ifBlob(row, 'input')}`,
    results: `${text('result')} + ${ifBlob(row, 'result')} + ${text('cause')} + ${text('record')}`,
    files: `coalesce(${row}.file_bytes, 0)`,
    logs: `${text('log')} + ${ifBlob(row, 'log')}`,
  };
};

const changing = ['input', 'input_blob', 'result', 'result_blob', 'log', 'log_blob', 'cause', 'record', 'file_bytes'];

const difference = (fresh: Counts, before: Counts): Counts =>
  Object.fromEntries(counters.flatMap((one) => (fresh[one] ? [[one, `(${fresh[one]}) - (${before[one]})`]] : [])));
const negative = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).map(([name, value]) => [name, `-(${value})`]));

const conflict = (names: readonly string[]): string =>
  `on conflict (owner_type, owner_id, shard) do update set
    ${names.map((name) => `${name} = storage_use.${name} + excluded.${name}`).join(', ')}`;

/** Adds to the counts of the owner of a row. */
const add = (row: string, shard: string, counts: Counts): string => {
  const names = Object.keys(counts);
  return `insert into storage_use (owner_type, owner_id, shard, ${names.join(', ')})
    select ${row}.owner_type, ${row}.owner_id, ${shard}, ${Object.values(counts).join(', ')}
    where ${row}.owner_id is not null ${conflict(names)}`;
};

const fill = (octets: (column: string) => string): string[] => {
  const ofExecutions = kept('executions', octets);
  const sums = (counts: Counts): string => Object.values(counts).map((value) => `sum(${value})`).join(', '); // prettier-ignore
  const from = (name: string, counts: Counts): string =>
    `insert into storage_use (owner_type, owner_id, shard, ${Object.keys(counts).join(', ')})
      select owner_type, owner_id, 0, ${sums(counts)} from ${name} where owner_id is not null
      group by owner_type, owner_id ${conflict(Object.keys(counts))}`;
  return [
    from('executions', ofExecutions),
    from('data_pools', { data_pools: 'bytes' }),
    from('services', { services: 'stored_bytes' }),
  ];
};

/** Tables whose rows say themselves how much lies behind them. */
const summed = [
  { name: 'data_pools', counter: 'data_pools', column: 'bytes' },
  { name: 'services', counter: 'services', column: 'stored_bytes' },
] as const;

const sourceOf = (row: string): string => `${row}.source_bytes + ${row}.build_log_bytes`;
/** Changes the sum of the service of a version; of one that is being deleted with its service, nothing. */
const toService = (row: string, bytes: string): string =>
  `update services set stored_bytes = stored_bytes + (${bytes}) where id = ${row}.service_id`;
const toVersion = (row: string, bytes: string): string =>
  `update service_versions set build_log_bytes = build_log_bytes + (${bytes}) where id = ${row}.service_version_id`;

/** A trigger: its name, what it is after, on which table, when, and what it does. */
type Trigger = readonly [name: string, event: string, table: string, when: string, ...actions: string[]];

/** The triggers that both databases have in this form. */
function triggersOf(octets: (column: string) => string, shard: string): Trigger[] {
  const [fresh, old] = [kept('new', octets), kept('old', octets)];
  const change = difference(fresh, old);
  const changed = Object.values(change).map((value) => `(${value}) <> 0`);
  const log = (row: string): string => `coalesce(${octets(`${row}.log`)}, 0) + ${ifBlob(row, 'log')}`;
  return [
    ['executions_update_is_stored', `update of ${changing.join(', ')}`, 'executions', changed.join(' or '), add('new', shard, change)], // prettier-ignore
    ['executions_delete_is_stored', 'delete', 'executions', 'true', add('old', shard, negative(old))],
    ...summed.flatMap(({ name, counter, column }): Trigger[] => {
      const [before, after] = [{ [counter]: `-old.${column}` }, { [counter]: `new.${column}` }];
      const differs = [column, 'owner_id', 'owner_type'].map((one) => `old.${one} <> new.${one}`).join(' or ');
      return [
        [`${name}_insert_is_stored`, 'insert', name, `new.${column} > 0`, add('new', shard, after)],
        [`${name}_update_is_stored`, `update of ${column}, owner_type, owner_id`, name, differs, add('old', shard, before), add('new', shard, after)], // prettier-ignore
        [`${name}_delete_is_stored`, 'delete', name, `old.${column} > 0`, add('old', shard, before)],
      ];
    }),
    ['service_versions_insert_is_stored', 'insert', 'service_versions', 'true', toService('new', sourceOf('new'))],
    ['service_versions_update_is_stored', 'update of source_bytes, build_log_bytes', 'service_versions', 'true', toService('new', `(${sourceOf('new')}) - (${sourceOf('old')})`)], // prettier-ignore
    ['service_versions_delete_is_stored', 'delete', 'service_versions', 'true', toService('old', `-(${sourceOf('old')})`)], // prettier-ignore
    ['builds_update_is_stored', 'update of log, log_blob', 'builds', 'true', toVersion('new', `(${log('new')}) - (${log('old')})`)], // prettier-ignore
    ['builds_delete_is_stored', 'delete', 'builds', 'true', toVersion('old', `-(${log('old')})`)],
  ];
}

function sqlite(): string[] {
  const octets = (column: string): string => `length(cast(${column} as blob))`;
  const fresh = kept('new', octets);
  const inserted: Trigger = ['executions_insert_is_stored', 'insert', 'executions', 'true', add('new', '0', fresh)];
  return [inserted, ...triggersOf(octets, '0')]
    .map(
      ([name, event, on, when, ...actions]) =>
        `create trigger ${name} after ${event} on ${on} when ${when} begin ${actions.map((one) => `${one};`).join(' ')} end`,
    )
    .concat(fill(octets));
}

function postgres(): string[] {
  const octets = (column: string): string => `octet_length(${column})`;
  const shard = 'pg_backend_pid()';
  const added = kept('added', octets);
  const sums = Object.values(added).map((value) => `sum(${value})`);
  return [
    // One change of a count for all executions of an owner that are written together.
    `create function executions_insert_is_stored() returns trigger language plpgsql as $$ begin
      insert into storage_use (owner_type, owner_id, shard, ${Object.keys(added).join(', ')})
      select owner_type, owner_id, ${shard}, ${sums.join(', ')} from added where owner_id is not null
      group by owner_type, owner_id ${conflict(Object.keys(added))};
      return null; end $$`,
    `create trigger executions_insert_is_stored after insert on executions referencing new table as added
      for each statement execute function executions_insert_is_stored()`,
    ...triggersOf(octets, shard).flatMap(([name, event, on, when, ...actions]) => [
      `create function ${name}() returns trigger language plpgsql as $$ begin
        ${actions.map((one) => `${one};`).join('\n')} return null; end $$`,
      `create trigger ${name} after ${event} on ${on} for each row when (${when}) execute function ${name}()`,
    ]),
    ...fill(octets),
  ];
}

export async function up(db: Kysely<Tables>): Promise<void> {
  const isSqlite = dialectOf(db) === 'sqlite';
  const all = [...columns, table, rules, quotas, keptIndex, ...backfill, ...(isSqlite ? sqlite() : postgres())];
  const run = async (queries: Kysely<Tables>): Promise<void> => {
    for (const statement of all) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  if (isSqlite) await db.transaction().execute(run);
  else await run(db);
}
