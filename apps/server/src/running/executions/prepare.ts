import { referencesAmong, referencesIn, type ReferencedPools } from '../../catalog/datapools/index.ts';
import { requireStart } from '../../catalog/quotas/index.ts';
import { requireValidInput } from '../../catalog/services/index.ts';
import { dataPoolNames, type InputParameters } from '@kethub/service-api';
import type { Platform } from '../../foundation/platform.ts';
import type { ExecutionRow } from '../../foundation/storage/index.ts';
import { keepInput } from './input-blob.ts';
import { parseInput, requireInputSize, type ExecutionInput } from '@kethub/service-api';
import type { Origin } from './origin.ts';
import { digestOf } from './record/index.ts';
import type { AcceptedWorkflow, FirstStep, Workflows } from './workflows.ts';

const SECRETS = 'execution secrets';
/** Bytes of input stored in the row; a longer input becomes a blob. */
const INLINE_BYTES = 64 * 1024;

/** An execution whose input is valid. Its row is not written yet. */
export interface PreparedExecution extends AcceptedWorkflow {
  readonly pools: ReferencedPools;
  firstStep: FirstStep | null;
}

/**
 * Validates the input of an execution and makes its row. A long input is stored as a blob: a caller that does not
 * accept the execution removes `row.input_blob` with `removeInput`. `startEvent` is set when an event starts a
 * workflow.
 */
export async function prepareExecution(
  platform: Platform,
  workflows: Workflows,
  origin: Origin,
  id: string,
  text: string | Buffer,
  startEvent?: string,
): Promise<PreparedExecution> {
  const bytes = Buffer.byteLength(text);
  requireInputSize(bytes);
  // Only requests are refused for too many waiting executions: what workflows call waits instead of failing.
  await requireStart(platform, origin.owner, { bytes, waits: false });
  const { program } = origin;
  const { input, pools, columns } =
    program.type === 'WORKFLOW'
      ? await prepareWorkflow(platform, workflows, origin, text, startEvent)
      : await prepareManaged(platform, origin, program.parameters, text);
  const row: ExecutionRow = {
    id,
    subscription_id: origin.subscriptionId,
    application_id: origin.applicationId,
    owner_type: origin.owner.type,
    owner_id: origin.owner.id,
    person_id: origin.personId,
    service_id: origin.serviceId,
    service_version_id: origin.serviceVersionId,
    type: program.type,
    trace_parent: null,
    ended_at: null,
    worker_id: null,
    cancel_requested_at: null,
    ...columns,
    result: null,
    result_blob: null,
    cause: null,
    log: null,
    log_blob: null,
    cpus: null,
    memory_bytes: null,
    gpus: null,
    gpu_type: null,
    input_digest: digestOf(input.bytes),
    input_bytes: input.bytes.length,
    record: null,
    result_bytes: null,
    log_bytes: null,
    file_bytes: null,
    expired_at: null,
    run_seconds: null,
    tags: input.tags.length > 0 ? JSON.stringify(input.tags) : null,
    workflow_id: null,
    workflow_task: null,
  };
  return { row, input, pools: { reader: origin.owner, pools }, startEvent, depth: 0, firstStep: null };
}

/** The part of an execution that depends on what it runs. */
interface Prepared {
  readonly input: ExecutionInput;
  readonly pools: ReferencedPools['pools'];
  readonly columns: Pick<
    ExecutionRow,
    'status' | 'created_at' | 'started_at' | 'input' | 'input_blob' | 'sealed_secrets' | 'data_pools'
  >;
}

/** User code waits for a worker, which reads the input, the secrets and the data pools from the row. */
async function prepareManaged(
  platform: Platform,
  { applicationId, serviceVersionId }: Origin,
  parameters: InputParameters,
  text: string | Buffer,
): Promise<Prepared> {
  const names = dataPoolNames(parameters);
  const input = await parseInput(text, names, parameters);
  await requireValidInput(platform, serviceVersionId, input);
  const pools = referencesIn(platform, input.references, names, applicationId);
  const isLong = input.bytes.length > INLINE_BYTES;
  const columns = {
    status: 'PENDING',
    created_at: platform.now(),
    started_at: null,
    input: isLong ? null : input.bytes.toString(),
    input_blob: isLong ? await keepInput(platform, input.bytes) : null,
    sealed_secrets: input.secrets ? platform.seal.seal(SECRETS, JSON.stringify(input.secrets)) : null,
    data_pools: pools.length > 0 ? JSON.stringify(pools) : null,
  } as const;
  return { input, pools, columns };
}

/** A workflow runs at once: it needs no slot on a machine. Its instance stores the input and the secrets. */
async function prepareWorkflow(
  { now }: Platform,
  workflows: Workflows,
  { serviceVersionId }: Origin,
  text: string | Buffer,
  startEvent: string | undefined,
): Promise<Prepared> {
  const input = await parseInput(text, [], await workflows.parameters(serviceVersionId));
  if (startEvent === undefined) await workflows.check(serviceVersionId, input);
  await input.readExact();
  const at = now();
  const columns = {
    status: 'RUNNING',
    created_at: at,
    started_at: at,
    // The instance has it as variables; here it is kept for its owner.
    input: input.bytes.length > INLINE_BYTES ? null : input.bytes.toString(),
    input_blob: null,
    sealed_secrets: null,
    data_pools: null,
  } as const;
  // A workflow passes its input on, so its starter must be able to read all data pools in it.
  return { input, pools: referencesAmong(input.marked), columns };
}

/** The secrets of an execution in clear, by parameter name. */
export function unsealSecrets(platform: Platform, row: ExecutionRow): Record<string, string> {
  if (row.sealed_secrets === null) return {};
  return JSON.parse(platform.seal.unseal(SECRETS, row.sealed_secrets)) as Record<string, string>;
}

/** The data pools that an execution was started with, or null. */
export function referencedPools({ data_pools, owner_type: type, owner_id: id }: ExecutionRow): ReferencedPools | null {
  if (data_pools === null || type === null || id === null) return null;
  return { reader: { type, id }, pools: JSON.parse(data_pools) as ReferencedPools['pools'] };
}
