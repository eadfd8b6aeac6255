import { isFinal, type ExecutionRecord } from '@kethub/contract';
import type { Platform } from '../../../foundation/platform.ts';
import type { ExecutionRow } from '../../../foundation/storage/index.ts';
import { presentProgress } from '@kethub/service-api';
import { taskOf } from '../present.ts';
import { findExecution, findExecutionOfService } from '../queries.ts';
import { executionNotFound, type ExecutionScope } from '../scope.ts';
import type { Kept } from './keep.ts';

/** The whole record of an execution. Throws execution-not-found. */
export async function readRecord(platform: Platform, scope: ExecutionScope, id: string): Promise<ExecutionRecord> {
  const row = await findExecution(platform.database, scope, id);
  if (!row) throw executionNotFound(scope, id);
  return present(platform, row);
}

/** The record for the provider of the service: only hashes and sizes. Null when the service has no such execution. */
export async function readProvidedRecord(
  platform: Platform,
  serviceId: string,
  id: string,
): Promise<ExecutionRecord | null> {
  const row = await findExecutionOfService(platform.database, serviceId, id);
  if (!row) return null;
  const { dataPools: _dataPools, ...record } = await present(platform, { ...row, workflow_id: null });
  const files = record.files.map(({ name: _name, ...file }) => file);
  const exit = record.exit && { reason: record.exit.reason };
  return { ...record, files, exit };
}

async function present({ database }: Platform, row: ExecutionRow): Promise<ExecutionRecord> {
  const version = await database.read
    .selectFrom('service_versions')
    .innerJoin('services', 'services.id', 'service_versions.service_id')
    .select(['version', 'name'])
    .where('service_versions.id', '=', row.service_version_id)
    .executeTakeFirst();
  const kept = row.record === null ? null : (JSON.parse(row.record) as Kept);
  const pools = row.data_pools === null ? [] : (JSON.parse(row.data_pools) as { parameter: string; id: string }[]);
  return {
    ...presentProgress(row),
    service: {
      ...(row.service_id !== null && { id: row.service_id }),
      ...version,
      versionId: row.service_version_id,
    },
    ...taskOf(row),
    code: kept?.code ?? null,
    environment: kept?.environment ?? null,
    input:
      row.input_digest === null || row.input_bytes === null
        ? null
        : { digest: row.input_digest, bytes: row.input_bytes },
    dataPools: pools.map(({ parameter, id }) => ({ parameter, id })),
    limits: limitsOf(row, kept),
    timings: {
      waitedMs: row.started_at === null ? null : Math.max(0, row.started_at - row.created_at),
      ranMs: kept?.ranMs ?? null,
    },
    usage: kept && { ...kept.usage, bytesIn: row.input_bytes ?? 0 },
    exit: exitOf(row, kept),
    result: kept?.result ?? null,
    files: kept?.files.map((file) => ({ ...file })) ?? [],
    runtime: kept?.runnerVersion == null ? null : { version: kept.runnerVersion },
  };
}

function limitsOf(row: ExecutionRow, kept: Kept | null): ExecutionRecord['limits'] {
  if (row.cpus === null || row.memory_bytes === null) return null;
  return {
    cpus: row.cpus,
    memoryBytes: row.memory_bytes,
    gpus: row.gpus ?? 0,
    gpuType: row.gpu_type || null,
    ...(kept?.runTimeMs !== undefined && { runTimeMs: kept.runTimeMs }),
  };
}

function exitOf(row: ExecutionRow, kept: Kept | null): ExecutionRecord['exit'] {
  if (!isFinal(row.status)) return null;
  const cause = row.cause === null ? null : (JSON.parse(row.cause) as { title?: string; detail?: string });
  // For a CANCELLED or UNKNOWN execution the runtime may report another end: the status that callers saw counts.
  const reason = row.status === 'CANCELLED' || row.status === 'UNKNOWN' ? row.status : (kept?.reason ?? row.status);
  return { reason, ...(cause?.detail !== undefined && { detail: cause.detail }) };
}
