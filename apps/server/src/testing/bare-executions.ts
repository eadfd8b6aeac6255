import { defaultConfiguration, type RuntimeConfiguration } from '@kethub/contract';
import { sql } from 'kysely';
import type { ExecutionRow } from '../foundation/storage/index.ts';
import type { TestPlatform } from './platform.ts';

/** Adds a published version that cannot run, with its own service: for tests of decisions before an execution runs. */
export async function addBareVersion(
  { database }: TestPlatform,
  id: string,
  configuration: Partial<RuntimeConfiguration> = {},
): Promise<void> {
  const text = JSON.stringify({ ...defaultConfiguration, ...configuration });
  const service = serviceOf(id);
  await database.write(async (transaction) => {
    await sql`insert into services (id, owner_type, owner_id, name, slug, type, description, created_at, revision)
      values (${service}, 'USER', 'provider', ${id}, ${id}, 'MANAGED', '', 1, 1)`.execute(transaction);
    await sql`insert into service_versions (id, service_id, version, state, visibility, configuration, source_blob,
      source_bytes, source_digest, build_id, created_at, published_at, revision) values (${id}, ${service},
      '1.0.0', 'PUBLISHED', 'INTERNAL', ${text}, 'b', 1, 'd', 'x', 1, 1, 1)`.execute(transaction);
  });
}

/** An execution with the required columns only. */
export const bareExecution = {
  subscription_id: null,
  application_id: null,
  person_id: null,
  service_id: null,
  trace_parent: null,
  started_at: null,
  ended_at: null,
  worker_id: null,
  cancel_requested_at: null,
  input: null,
  input_blob: null,
  sealed_secrets: null,
  data_pools: null,
  result: null,
  result_blob: null,
  cause: null,
  log: null,
  log_blob: null,
  cpus: null,
  memory_bytes: null,
  gpus: null,
  gpu_type: null,
  input_digest: null,
  input_bytes: null,
  record: null,
  result_bytes: null,
  log_bytes: null,
  file_bytes: null,
  expired_at: null,
  run_seconds: null,
  type: 'MANAGED',
  tags: null,
  workflow_id: null,
  workflow_task: null,
} satisfies Partial<ExecutionRow>;

/** A PENDING execution of a bare version. */
export function pendingExecution({ newId, now }: TestPlatform, ownerId: string, versionId: string): ExecutionRow {
  return {
    ...bareExecution,
    id: newId(),
    owner_type: 'USER',
    owner_id: ownerId,
    service_id: serviceOf(versionId),
    service_version_id: versionId,
    status: 'PENDING',
    created_at: now(),
    input: '{}',
  };
}

function serviceOf(versionId: string): string {
  return `service of ${versionId}`;
}
