import type { ExecutionJob } from '@kethub/runtime';
import { layOutPools } from '../../catalog/datapools/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { providerEnvironment } from '../../catalog/provider-tokens/index.ts';
import type { Runnables } from '../../catalog/services/index.ts';
import type { ExecutionRow } from '../../foundation/storage/index.ts';
import { noteOf } from './record/index.ts';
import { referencedPools, unsealSecrets } from './prepare.ts';

/** The job of a claimed execution for the runtime. Its limits are the resources that the claim has given it. */
export async function jobOf(platform: Platform, runnables: Runnables, row: ExecutionRow): Promise<ExecutionJob> {
  const runnable = await runnables.load(row.service_version_id);
  const pools = referencedPools(row);
  return {
    executionId: row.id,
    ...(row.service_id !== null && { service: row.service_id }),
    code: runnable.code,
    input: await inputOf(platform, row),
    secrets: unsealSecrets(platform, row),
    environment: runnable.environment,
    dataPools: pools
      ? await layOutPools(platform, row.id, pools, 'image' in runnable.code ? 'CONTAINER' : 'SANDBOX')
      : [],
    // These differ between executions, and a pre-started process has its environment already.
    secretEnvironment: {
      ...(runnable.providerAccessTokens && (await providerEnvironment(platform, row.service_version_id))),
      ...(row.trace_parent !== null && { TRACEPARENT: row.trace_parent }),
    },
    ...(row.gpus !== null && row.gpus > 0 && { gpus: { count: row.gpus, type: row.gpu_type || null } }),
    hosts: runnable.hosts,
    warm: runnable.warm,
    ...(runnable.warmPods !== null && { warmPods: runnable.warmPods }),
    limits: {
      ...runnable.limits,
      ...(row.cpus !== null && { cpus: row.cpus }),
      ...(row.memory_bytes !== null && { memoryBytes: row.memory_bytes }),
    },
    note: noteOf(runnable),
  };
}

async function inputOf(platform: Platform, { input, input_blob }: ExecutionRow): Promise<string> {
  if (input !== null) return input;
  if (input_blob === null) throw new Error('The input of a running execution is gone');
  const { stream } = await platform.blobs.get(input_blob);
  return Buffer.concat(await stream.toArray()).toString('utf8');
}
