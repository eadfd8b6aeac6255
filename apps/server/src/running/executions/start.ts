import type { FastifyRequest } from 'fastify';
import { referencesAmong, referencesIn, requireReadable, type ReferencedPools } from '../../catalog/datapools/index.ts';
import { once, type Answer } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { requireStart } from '../../catalog/quotas/index.ts';
import {
  Gather,
  takeIntoUse,
  Together,
  type ExecutionRow,
  type OwnerType,
  type Queries,
} from '../../foundation/storage/index.ts';
import { formatTraceparent, traceOf } from '../../foundation/telemetry/index.ts';
import { keepInput, removeInput } from './input-blob.ts';
import { parseInput, requireInputSize, type ExecutionInput } from './input.ts';
import type { InputParameters } from './parameters.ts';
import { presentStatus } from './present.ts';
import { insertExecutions, insertTags } from './queries.ts';
import { digestOf } from './record/index.ts';
import type { ExecutionScope } from './scope.ts';
import type { FirstStep, Workflows } from './workflows.ts';

const CHANNEL = 'execution-pending';
const SECRETS = 'execution secrets';
/** Input that is kept in the row; a longer one becomes a blob. */
const INLINE_BYTES = 64 * 1024;

/** Where an execution comes from and for whom it runs which service version. */
export interface Origin {
  /** Within which it will be seen by whoever starts it. */
  readonly scope: ExecutionScope;
  /** Null for a job. */
  readonly subscriptionId: string | null;
  readonly applicationId: string | null;
  readonly owner: { readonly type: OwnerType; readonly id: string };
  /** Who starts a job; null for an application. */
  readonly personId: string | null;
  readonly serviceId: string;
  readonly serviceVersionId: string;
  /** The parameters of the version that take a data pool; null where any can. */
  readonly dataPools: readonly string[] | null;
  /** What the version takes under which name; absent of a workflow, whose file says it. */
  readonly parameters?: InputParameters;
  /** Whether it is a workflow: not user code, but an instance that a worker advances. */
  readonly isWorkflow: boolean;
}

/**
 * Accepts an execution: once this resolves it is on disk and will run once. The row is PENDING; a worker is woken. What
 * `hold` throws in the same transaction refuses it.
 */
export async function startExecution(
  platform: Platform,
  workflows: Workflows,
  accepting: Accepting,
  origin: Origin,
  text: Buffer,
  request: FastifyRequest,
  hold: ((transaction: Queries) => Promise<void>) | null,
): Promise<Answer> {
  if (!origin.isWorkflow) await requireStart(platform, origin.owner, { bytes: 0, waits: true });
  const prepared = await prepareExecution(platform, workflows, origin, platform.newId(), text);
  const { row } = prepared;
  if (origin.isWorkflow) prepared.firstStep = await workflows.firstStep(prepared);
  const span = platform.telemetry.tracing?.begin('execution accept', 'INTERNAL', traceOf(request)) ?? null;
  const trace = span?.context ?? traceOf(request);
  if (trace) row.trace_parent = formatTraceparent(trace);
  let accepted = false;
  try {
    const created = {
      status: 201,
      body: presentStatus({ ...row, status: 'PENDING', started_at: null }),
      headers: { location: `${origin.scope.address}/${row.id}` },
    };
    const isAlone = hold !== null || request.headers['idempotency-key'] !== undefined;
    if (!isAlone) await accepting.add(prepared);
    const answer: Answer = !isAlone
      ? created
      : await once(platform, request, executionAnswersOf(origin), text, async (transaction) => {
          await hold?.(transaction);
          await acceptExecutions(workflows, transaction, [prepared]);
          return created;
        });
    accepted = answer.headers?.['location']?.endsWith(row.id) ?? false;
    if (accepted) platform.telemetry.metrics?.accepted();
    if (accepted) wakeWorkers(platform, workflows, prepared);
    return answer;
  } finally {
    if (!accepted) prepared.firstStep?.release();
    span?.end({ ...(accepted && { 'kethub.execution.id': row.id }) }, !accepted);
    // Unless this has accepted it: the answer was a replay of an earlier one, or nothing was accepted.
    if (!accepted) await removeInput(platform, row.input_blob);
  }
}

/** An execution whose input was judged; its row is not written yet. */
export interface PreparedExecution {
  readonly row: ExecutionRow;
  readonly input: ExecutionInput;
  readonly pools: ReferencedPools;
  readonly isWorkflow: boolean;
  /** Of a workflow that something else starts than a request: its start event. */
  readonly startEvent: string | undefined;
  readonly depth: number;
  firstStep: FirstStep | null;
}

/** Judges the input of an execution. A long one is stored: whoever does not accept it removes `row.input_blob` with {@link removeInput}. */
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
  // How many may wait is asked of requests only: what the tasks of workflows call waits its turn, and does not fail.
  await requireStart(platform, origin.owner, { bytes, waits: false });
  const parameters = origin.isWorkflow ? await workflows.parameters(origin.serviceVersionId) : origin.parameters;
  const input = await parseInput(text, origin.isWorkflow ? [] : origin.dataPools, parameters);
  if (origin.isWorkflow && startEvent === undefined) await workflows.check(origin.serviceVersionId, input);
  if (origin.isWorkflow) await input.readExact();
  // A workflow passes on what it was given: whoever starts it has to be able to read it all.
  const pools = origin.isWorkflow
    ? referencesAmong(input.marked)
    : referencesIn(platform, input.references, origin.dataPools, origin.applicationId);
  const large = !origin.isWorkflow && input.bytes.length > INLINE_BYTES;
  const now = platform.now();
  const row: ExecutionRow = {
    id,
    subscription_id: origin.subscriptionId,
    application_id: origin.applicationId,
    owner_type: origin.owner.type,
    owner_id: origin.owner.id,
    person_id: origin.personId,
    service_id: origin.serviceId,
    service_version_id: origin.serviceVersionId,
    type: origin.isWorkflow ? 'WORKFLOW' : 'MANAGED',
    // A workflow waits for no place on a machine: it runs from the beginning.
    status: origin.isWorkflow ? 'RUNNING' : 'PENDING',
    trace_parent: null,
    created_at: now,
    started_at: origin.isWorkflow ? now : null,
    ended_at: null,
    worker_id: null,
    cancel_requested_at: null,
    input: large || origin.isWorkflow ? null : input.bytes.toString(),
    input_blob: large ? await keepInput(platform, input.bytes) : null,
    sealed_secrets:
      input.secrets && !origin.isWorkflow ? platform.seal.seal(SECRETS, JSON.stringify(input.secrets)) : null,
    data_pools: pools.length > 0 && !origin.isWorkflow ? JSON.stringify(pools) : null,
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
  };
  const { isWorkflow } = origin;
  const plain = { depth: 0, firstStep: null };
  return { row, input, pools: { reader: origin.owner, pools }, isWorkflow, startEvent, ...plain };
}

/** Writes them, inside a transaction. Throws data-pool-not-readable. */
export async function acceptExecutions(
  workflows: Workflows,
  transaction: Queries,
  prepared: readonly PreparedExecution[],
): Promise<void> {
  for (const { row, pools } of prepared) {
    await requireReadable(transaction, pools);
    if (row.input_blob !== null) await takeIntoUse(transaction, row.input_blob);
  }
  const together = new Together(transaction);
  addExecutions(workflows, together, prepared);
  await together.run();
}

function addExecutions(workflows: Workflows, together: Together, prepared: readonly PreparedExecution[]): void {
  const rows = prepared.map(({ row }) => row);
  insertExecutions(together, rows);
  insertTags(together, rows);
  workflows.accept(
    together,
    prepared.filter(({ isWorkflow }) => isWorkflow),
  );
}

/** Accepts executions that nothing else has to happen with: those that come together share a transaction. */
export type Accepting = Gather<PreparedExecution, void>;

export function createAccepting({ database }: Platform, workflows: Workflows): Accepting {
  return new Gather(
    async (prepared) => {
      const arePlain = prepared.every(({ row, pools }) => row.input_blob === null && pools.pools.length === 0);
      await (arePlain
        ? database.writeTogether((together) => addExecutions(workflows, together, prepared))
        : database.write((transaction) => acceptExecutions(workflows, transaction, prepared)));
      return prepared.map(() => undefined);
    },
    ({ row: { owner_type, owner_id } }) => `${owner_type} ${owner_id}`,
  );
}

/** After the transaction: somebody has to run it. */
export function wakeWorkers(
  platform: Platform,
  workflows: Workflows,
  { row, isWorkflow, firstStep }: PreparedExecution,
): void {
  if (firstStep) firstStep.begin();
  else if (isWorkflow) workflows.wake();
  else platform.database.notify(CHANNEL, row.id);
}

/** Where the answers are kept that are repeated under an Idempotency-Key: of one version, as another is another request. */
function executionAnswersOf({ subscriptionId, owner, serviceVersionId }: Origin): string {
  return subscriptionId === null
    ? `jobs of ${owner.type} ${owner.id} on ${serviceVersionId}`
    : `executions of ${subscriptionId}`;
}

/** Calls back when an execution was accepted by any process. */
export function onPending(platform: Platform, listener: () => void): () => void {
  return platform.database.listen(CHANNEL, listener);
}

/** The secrets of an execution by parameter name, in clear. */
export function unsealSecrets(platform: Platform, row: ExecutionRow): Record<string, string> {
  if (row.sealed_secrets === null) return {};
  return JSON.parse(platform.seal.unseal(SECRETS, row.sealed_secrets)) as Record<string, string>;
}

/** The data pools that an execution was started with, or null. */
export function referencedPools({ data_pools, owner_type: type, owner_id: id }: ExecutionRow): ReferencedPools | null {
  if (data_pools === null || type === null || id === null) return null;
  return { reader: { type, id }, pools: JSON.parse(data_pools) as ReferencedPools['pools'] };
}
