import { sql } from 'kysely';
import type { Database } from '@kethub/server/foundation/storage';

/** Owners, services and versions of the filled tables. The first ones have the most executions. */
const OWNERS = 1_000;
const SERVICES = 200;
const VERSIONS = 3;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Time over which the executions are spread, and the age from which their contents have expired. */
export const SPREAD_MS = 180 * DAY_MS;
const KEPT_MS = 90 * DAY_MS;
/** The oldest executions are of one owner, and have what no later one has: filters must find them among all others. */
export const RARE = 10;
/** Here the memory of PostgreSQL decides, not the number of executions. */
export const FIRST_STATUS = 'Status of an execution of any age, whose pages are not in the memory of PostgreSQL';

/** Ids that the filled rows have. */
export const ownerId = (at: number): string => `0a000000-0000-7000-8000-${String(at).padStart(12, '0')}`;
export const serviceId = (at: number): string => `0b000000-0000-7000-8000-${String(at).padStart(12, '0')}`;
export const rare = { application: '0c999999-0000-7000-8000-000000000000', person: '0d999999-0000-7000-8000-000000000000', tag: 'rare', version: '9.9.9' }; // prettier-ignore

/** The columns that are filled, in the order of {@link madeExecutions}. */
const COLUMNS = `id, subscription_id, application_id, owner_type, owner_id, person_id, service_id,
  service_version_id, type, status, created_at, started_at, ended_at, expired_at, worker_id, cpus, memory_bytes, gpus,
  run_seconds, input, input_bytes, input_digest, tags, result, cause, record, log, file_bytes, workflow_id, workflow_task`;

/** Settings of a PostgreSQL that is filled. Without `wal_level` minimal, copying writes everything twice. */
export const fillSettings = {
  wal_level: 'minimal',
  max_wal_senders: 0,
  maintenance_work_mem: '512MB',
  max_wal_size: '3GB',
};

/**
 * Fills an empty PostgreSQL with ended executions, their tags, files and charges, as the platform writes them.
 *
 * One session makes the rows, another copies them. With `wal_level` minimal they are written once: without a log, and
 * already frozen. Indexes are made afterwards and triggers do not run. The youngest execution is of now.
 */
export async function fillExecutions(
  database: Database,
  url: string,
  count: number,
  spreadMs: number = SPREAD_MS,
): Promise<void> {
  const run = (statement: string): Promise<unknown> => sql.raw(statement).execute(database.read);
  const began = performance.now();
  const done = (what: string): void => {
    process.stderr.write(`  ${what} after ${Math.round((performance.now() - began) / 1_000)} s\n`);
  };
  await fillServices(run);
  const tables = ['executions', 'execution_tags', 'execution_files', 'usage_records'];
  const { rows: indexes } = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes where schemaname = current_schema()
    and tablename in (${sql.join(tables)}) and indexdef not like '%UNIQUE%'`.execute(database.read);
  for (const { name } of indexes) await run(`drop index ${name}`);
  for (const table of tables) await run(`alter table ${table} disable trigger all`);
  await run(`create view made_executions (${COLUMNS}) as ${madeExecutions(count, spreadMs)}`);
  await database.write(async (transaction) => {
    await sql`truncate executions cascade`.execute(transaction);
    const program = `psql "${url}" --no-psqlrc --quiet --command="copy (table made_executions) to stdout"`;
    await sql.raw(`copy executions (${COLUMNS}) from program '${program}' with (freeze)`).execute(transaction);
  });
  await run('drop view made_executions');
  done(`${count.toLocaleString('en')} executions`);
  await run(`insert into execution_tags (execution_id, tag, subscription_id, owner_type, owner_id)
    select id, tags::json ->> 0, subscription_id, owner_type, owner_id from executions where tags is not null`);
  await run(`insert into execution_files (execution_id, name, blob, bytes)
    select id, 'plot.png', id, 1000 from executions where file_bytes > 0 and expired_at is null`);
  await run(`insert into usage_records (id, subscription_id, application_id, service_id, service_version_id, execution_id,
      product, amount, unit_price, currency, test, consumer_type, consumer_id, provider_type, provider_id, occurred_at, created_at)
    select id, subscription_id, application_id, service_id, service_version_id, id, 'runs', 1000000, '0.01', 'EUR', 0,
      owner_type, owner_id, 'USER', '${ownerId(0)}', ended_at, ended_at
    from executions where subscription_id is not null and status = 'SUCCEEDED' and file_bytes > 0`);
  await run(`insert into storage_use (owner_type, owner_id, shard, inputs, results, files, logs)
    select owner_type, owner_id, 0, sum(coalesce(octet_length(input), 0)), sum(coalesce(octet_length(result), 0)
      + coalesce(octet_length(cause), 0) + coalesce(octet_length(record), 0)), sum(coalesce(file_bytes, 0)),
      sum(coalesce(octet_length(log), 0)) from executions group by owner_type, owner_id`);
  for (const table of tables) await run(`alter table ${table} enable trigger all`);
  done('tags, files and charges');
  const waiting = indexes.values();
  const makeIndexes = async (): Promise<void> => {
    for (const { name, definition } of waiting) {
      await run(definition);
      done(`index ${name}`);
    }
  };
  await Promise.all([makeIndexes(), makeIndexes()]);
  // Sets the bits of visibility of the smaller tables, as autovacuum has long done in tables of this age.
  await run('vacuum analyze');
  done('vacuum');
}

async function fillServices(run: (statement: string) => Promise<unknown>): Promise<void> {
  await run(`insert into services (id, owner_type, owner_id, name, slug, type, description, created_at, revision)
    select ${idOf('0b', 'n')}, 'USER', '${ownerId(0)}', 'Service', 's' || n, 'MANAGED', '', 1, 1
    from generate_series(0, ${SERVICES - 1}) as n`);
  await run(`insert into service_versions (id, service_id, version, state, visibility, configuration, source_blob,
      source_bytes, source_digest, build_id, created_at, published_at, revision)
    select ${idOf('0e', 'n * 10 + v')}, ${idOf('0b', 'n')}, case v when 9 then '${rare.version}' else v || '.0.0' end,
      'PUBLISHED', 'INTERNAL', '{}', 'b', 1, 'd', 'x', 1, 1, 1
    from generate_series(0, ${SERVICES - 1}) as n, unnest(array[1, 2, 3, 9]) as v`);
}

/** A query that makes executions; a higher number is younger. */
function madeExecutions(count: number, spreadMs: number): string {
  const now = Date.now();
  const began = now - spreadMs;
  const isRare = `n <= ${RARE}`;
  const step = spreadMs / count;
  const subscribed = 'p < 0.7';
  return `
    select id,
      case when ${subscribed} then ${idOf('0f', 'owner * 100 + application * 10 + service % 10')} end,
      case when ${isRare} then '${rare.application}' when ${subscribed} then ${idOf('0c', 'owner * 10 + application')} end,
      case owner % 2 when 0 then 'USER' else 'ORGANIZATION' end, ${idOf('0a', 'owner')},
      case when ${isRare} then '${rare.person}' when ${subscribed} then null when owner % 2 = 0 then ${idOf('0a', 'owner')}
        else ${idOf('0d', 'owner * 100 + person')} end,
      ${idOf('0b', 'service')},
      ${idOf('0e', `service * 10 + case when ${isRare} then 9 else 1 + n % ${VERSIONS} end`)},
      case when n % 100 = 0 then 'WORKFLOW' else 'MANAGED' end,
      case when ${isRare} then 'UNKNOWN' when s < 0.93 then 'SUCCEEDED' when s < 0.98 or owner = 0 or service = 0 then 'FAILED'
        when s < 0.999 then 'CANCELLED' else 'UNKNOWN' end,
      created, created + 200, created + 5000,
      case when created < ${now - KEPT_MS} then created + ${KEPT_MS} end,
      case when n % 100 = 0 then null else ${idOf('10', 'n % 100')} end, 1, 536870912, 0, 600,
      case when created >= ${now - KEPT_MS} then '{"data": {"n": 1}}' end, 18, md5(n::text) || md5(n::text),
      case when ${isRare} then '${JSON.stringify([rare.tag])}' when p < 0.14 then '["tag ' || n % 10 || '"]' end,
      case when created >= ${now - KEPT_MS} and s < 0.93 then '{"sum": 499500}' end,
      case when s >= 0.93 and s < 0.98 then '{"type":"ValueError","title":"ValueError","detail":"n is negative"}' end,
      '{"ranMs":4800,"usage":{"cpuSeconds":1.2,"peakMemoryBytes":41943040,"measuredBy":"CGROUPS_V2","bytesOut":15,"logBytes":0},"reason":"SUCCEEDED","files":[]}',
      '', case when p < 0.1 then 1000 else 0 end,
      case when n % 100 between 1 and 5 then ${executionId('n - n % 100', step, began)} end,
      case when n % 100 between 1 and 5 then 'instance task' || n % 5 end
    from (
      select n, ${executionId('n', step, began)} as id, (${createdAt('n', step, began)})::bigint as created,
        case when ${isRare} then 0 else floor(${OWNERS} * power(case when n % 100 <= 5
          then (hashint8(n / 100) & 1048575) / 1048576.0 else random() end, 3))::bigint end as owner,
        case when ${isRare} then 0 else floor(${SERVICES} * power(random(), 2))::bigint end as service,
        floor(5 * random())::bigint as application, floor(20 * power(random(), 3))::bigint as person, random() as p, random() as s
      from generate_series(1::bigint, ${count}::bigint) as n
    ) as made (n, id, created, owner, service, application, person, p, s)`; // prettier-ignore
}

function createdAt(n: string, step: number, began: number): string {
  return `floor(${began}::double precision + (${n}) * ${step}::double precision)`;
}

/** A UUID of version 7 of the time at which the execution was created. */
function executionId(n: string, step: number, began: number): string {
  const time = `lpad(to_hex((${createdAt(n, step, began)})::bigint), 12, '0')`;
  return `substr(${time}, 1, 8) || '-' || substr(${time}, 9) || '-7' || substr(md5((${n})::text), 1, 3)
    || '-8' || substr(md5((${n})::text), 4, 3) || '-' || substr(md5((${n})::text), 7, 12)`;
}

function idOf(kind: string, n: string): string {
  return `'${kind}000000-0000-7000-8000-' || lpad((${n})::text, 12, '0')`;
}

/** Ids of a thousand executions of an owner: the newest ones, or ones of any age. */
export async function executionsOfOwner({ read }: Database, at: number, which: 'newest' | 'any'): Promise<string[]> {
  const { rows } = await (
    which === 'newest'
      ? sql<{ id: string }>`select id from executions where owner_type = 'USER' and owner_id = ${ownerId(at)}
          order by id desc limit 1000`
      : // Blocks of the table, so that it is not read whole.
        sql<{
          id: string;
        }>`select id from (select id, owner_id from executions tablesample system (${sql.lit(2)})) as sampled
          where owner_id = ${ownerId(at)} order by random() limit 1000`
  ).execute(read);
  return rows.map(({ id }) => id);
}

/** A cursor of a list: executions from before a time follow. */
export function cursorAt(time: number): string {
  const hex = Math.floor(time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
