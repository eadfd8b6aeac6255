import type { ServiceExecution } from '@kethub/contract';
import { requireStart } from '../../catalog/quotas/index.ts';
import { once, type IdempotencyKey } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { formatTraceparent, type TraceContext } from '../../foundation/telemetry/index.ts';
import { acceptExecutions, wakeWorkers, type Accepting } from './accept.ts';
import { removeInput } from './input-blob.ts';
import type { Origin } from './origin.ts';
import { prepareExecution } from './prepare.ts';
import { presentStatus } from './present.ts';
import type { BeforeCommit, Workflows } from './workflows.ts';

/** Context of all starts in this process. */
export interface Starting {
  readonly platform: Platform;
  readonly workflows: Workflows;
  readonly accepting: Accepting;
}

/** A call that starts an execution. */
export interface StartCall {
  /** The input as JSON. */
  readonly text: Buffer;
  readonly idempotencyKey: IdempotencyKey;
  /** The trace to which the call belongs. */
  readonly trace: TraceContext | null;
}

/**
 * Accepts an execution: when this resolves it is on disk and will run once. The row is PENDING; a worker is woken.
 * `beforeCommit` runs in the same transaction and may throw to refuse the execution.
 */
export async function startExecution(
  { platform, workflows, accepting }: Starting,
  origin: Origin,
  { text, idempotencyKey, trace: caller }: StartCall,
  beforeCommit: BeforeCommit | null,
): Promise<ServiceExecution> {
  const isWorkflow = origin.program.type === 'WORKFLOW';
  if (!isWorkflow) await requireStart(platform, origin.owner, { bytes: 0, waits: true });
  const prepared = await prepareExecution(platform, workflows, origin, platform.newId(), text);
  const { row } = prepared;
  if (isWorkflow) prepared.firstStep = await workflows.firstStep(prepared);
  const span = platform.telemetry.tracing?.begin('execution accept', 'INTERNAL', caller) ?? null;
  const trace = span?.context ?? caller;
  if (trace) row.trace_parent = formatTraceparent(trace);
  let accepted = false;
  try {
    const created = presentStatus({ ...row, status: 'PENDING', started_at: null });
    const isAlone = beforeCommit !== null || idempotencyKey !== undefined;
    if (!isAlone) await accepting.add(prepared);
    const execution = !isAlone
      ? created
      : await once(platform, idempotencyKey, idempotencyScope(origin), text, async (transaction) => {
          await beforeCommit?.(transaction);
          await acceptExecutions(workflows, transaction, [prepared]);
          return created;
        });
    accepted = execution.id === row.id;
    if (accepted) platform.telemetry.metrics?.accepted();
    if (accepted) wakeWorkers(platform, workflows, prepared);
    return execution;
  } finally {
    if (!accepted) prepared.firstStep?.release();
    span?.end({ ...(accepted && { 'kethub.execution.id': row.id }) }, !accepted);
    // The answer repeats that of an earlier request, or nothing was accepted.
    if (!accepted) await removeInput(platform, row.input_blob);
  }
}

/** The scope of an Idempotency-Key: the same key means another request for another version. */
function idempotencyScope({ subscriptionId, owner, serviceVersionId }: Origin): string {
  return subscriptionId === null
    ? `jobs of ${owner.type} ${owner.id} on ${serviceVersionId}`
    : `executions of ${subscriptionId}`;
}
