import { stat } from 'node:fs/promises';
import { toTimestamp, type PlatformProcess, type PlatformStatus } from '@kethub/contract';
import { sql } from 'kysely';
import type { Platform } from '../../foundation/platform.ts';
import { sqliteFileIn, type Queries } from '../../foundation/storage/index.ts';
import { countRows } from '../../foundation/telemetry/index.ts';
import { PROCESS_LASTS_MS } from '../../foundation/workers/index.ts';

/** Most waiting executions that are looked at. */
const MOST_WAITING = 100_000;
const MOST_QUEUES = 10;
const MOST_PROCESSES = 2_000;
const MOST_LOST = 100;

/** The state of the whole installation. */
export async function readPlatformStatus(platform: Platform): Promise<PlatformStatus> {
  const { read } = platform.database;
  const { queues, oldest } = await waiting(read);
  return {
    database: await databaseOf(platform),
    files: platform.configuration.blobs.kind,
    executions: {
      pending: await countRows(read, 'executions', 'PENDING'),
      running: await countRows(read, 'executions', 'RUNNING'),
      ...(oldest !== null && { oldestPendingAt: toTimestamp(oldest) }),
    },
    builds: {
      pending: await countRows(read, 'builds', 'PENDING'),
      running: await countRows(read, 'builds', 'RUNNING'),
    },
    mails: { waiting: await countRows(read, 'outgoing_mails') },
    queues,
    processes: await processesOf(platform),
    lostWorkers: await lostWorkers(read),
  };
}

async function databaseOf({ database, configuration }: Platform): Promise<PlatformStatus['database']> {
  const { rows } = await sql<{ name: string }>`select max(name) as name from kysely_migration`.execute(database.read);
  const schema = rows[0]?.name ?? '';
  if (database.dialect === 'sqlite') {
    const main = sqliteFileIn(configuration.dataDir);
    const files = [main, `${main}-wal`].map(sizeOf);
    const [file, log] = await Promise.all(files);
    return { kind: 'SQLITE', bytes: (file ?? 0) + (log ?? 0), schema };
  }
  const size = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(
    database.read,
  );
  return { kind: 'POSTGRESQL', bytes: size.rows[0]?.bytes ?? 0, schema };
}

/** Bytes of a file; 0 when it is not there. */
async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => ({ size: 0 }))).size;
}

/** The owners with the longest queues, and the start of the execution that waits longest. */
async function waiting(read: Queries): Promise<{ queues: PlatformStatus['queues']; oldest: number | null }> {
  const { rows } = await sql<{ owner_id: string; waiting: number | string; oldest: number | string }>`
    select owner_id, count(*) as waiting, min(created_at) as oldest
    from (select owner_id, created_at from executions where status = 'PENDING' limit ${sql.lit(MOST_WAITING)}) as pending
    where owner_id is not null group by owner_id order by count(*) desc, owner_id`.execute(read);
  return {
    queues: rows.slice(0, MOST_QUEUES).map((row) => ({ ownerId: row.owner_id, waiting: Number(row.waiting) })),
    oldest: rows.length === 0 ? null : Math.min(...rows.map((row) => Number(row.oldest))),
  };
}

async function processesOf({ database, now }: Platform): Promise<PlatformProcess[]> {
  const { read } = database;
  const rows = await read
    .selectFrom('processes')
    .leftJoin('workers', 'workers.id', 'processes.worker_id')
    .selectAll('processes')
    .select(['workers.containers', 'workers.pythons', 'workers.cpus', 'workers.memory_bytes'])
    .where('processes.seen_at', '>', now() - PROCESS_LASTS_MS)
    .orderBy('roles')
    .orderBy('processes.id')
    .limit(MOST_PROCESSES)
    .execute();
  const running = await runningByWorker(read);
  return rows.map((row) => ({
    id: row.id,
    host: row.host,
    roles: row.roles.split(',') as PlatformProcess['roles'],
    version: row.version,
    schema: row.schema,
    startedAt: toTimestamp(row.started_at),
    seenAt: toTimestamp(row.seen_at),
    ...(row.disk_bytes !== null &&
      row.disk_free_bytes !== null && { disk: { bytes: row.disk_bytes, freeBytes: row.disk_free_bytes } }),
    ...(row.worker_id !== null && {
      worker: {
        id: row.worker_id,
        drivers: [row.driver ?? 'SANDBOX', ...(row.containers === 1 ? (['CONTAINER'] as const) : [])],
        pythons: row.pythons === null ? [] : (JSON.parse(row.pythons) as string[]),
        ...(row.cpus !== null && { cpus: row.cpus }),
        ...(row.memory_bytes !== null && { memoryBytes: row.memory_bytes }),
        running: running.get(row.worker_id) ?? 0,
        ...(row.problem !== null && { problem: row.problem }),
      },
    }),
  }));
}

async function runningByWorker(read: Queries): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ worker_id: string; running: number | string }>`
    select worker_id, count(*) as running from executions
    where status = 'RUNNING' and worker_id is not null group by worker_id`.execute(read);
  return new Map(rows.map((row) => [row.worker_id, Number(row.running)]));
}

async function lostWorkers(read: Queries): Promise<PlatformStatus['lostWorkers']> {
  const rows = await read
    .selectFrom('workers')
    .select(['id', 'host', 'lost_at'])
    .where('lost_at', 'is not', null)
    .orderBy('lost_at', 'desc')
    .limit(MOST_LOST)
    .execute();
  return rows.map(({ id, host, lost_at }) => ({ id, host, lostAt: toTimestamp(lost_at ?? 0) }));
}
