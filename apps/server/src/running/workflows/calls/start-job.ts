import { originOf, prepareExecution, removeInput, wakeWorkers } from '../../executions/index.ts';
import type { Subscriber } from '../../../catalog/access/index.ts';
import { Problem } from '../../../foundation/http/index.ts';
import type { WorkflowJobRow, Queries } from '../../../foundation/storage/index.ts';
import { requireReadable, type ReferencedPools } from '../../../catalog/datapools/index.ts';
import type { JobContext } from './contexts.ts';
import type { JobEnvironment } from './job-environment.ts';
import { documentOf, failJob } from './fail-job.ts';
import { admitTask, callOf, inputOf } from './service-call.ts';
import { startRemote } from './start-remote.ts';

/**
 * Starts the service that a task calls, as the gateway would for the application: subscription, quota, input.
 *
 * The execution has the id of the job, and is written in the transaction that marks the job as started. So it is
 * started once, whichever process dies.
 *
 * The call is made in process: over HTTP it could not be one transaction. It also needs neither the secret of an access
 * key nor a running gateway.
 */
export async function startJob(environment: JobEnvironment, job: WorkflowJobRow, context: JobContext): Promise<void> {
  const { platform, directory, capacity } = environment;
  const call = callOf(job, context);
  let subscriber: Subscriber | null = null;
  try {
    subscriber = await admitTask(platform, directory, call, context);
    const text = await inputOf(platform, job, context);
    const { target } = subscriber;
    if (!target && subscriber.program.type === 'MANAGED') await capacity.require(subscriber.serviceVersionId);
    if (target) await startRemote(environment, job, call, { ...subscriber, target }, text);
    else await startHere(environment, job, context, subscriber, text);
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    await failJob(environment, job, call, documentOf(platform, error, subscriber));
  }
}

async function startHere(
  environment: JobEnvironment,
  job: WorkflowJobRow,
  { executionId }: JobContext,
  subscriber: Subscriber,
  text: string,
): Promise<void> {
  const { platform, workflows } = environment;
  const { applicationId, address } = subscriber;
  const prepared = await prepareExecution(platform, workflows, originOf(subscriber), job.id, text);
  prepared.row.workflow_id = executionId;
  prepared.row.workflow_task = `${job.instance_id} ${job.element_id}`;
  await requireReadableByStarters(platform.database.read, job.instance_id, prepared.pools.pools);
  const called = { id: job.id, lease: job.lease, application_id: applicationId, address };
  let accepted = false;
  try {
    accepted = await environment.storeCall({ called, subscriber, prepared });
  } finally {
    if (!accepted) await removeInput(platform, prepared.row.input_blob);
  }
  if (!accepted) return;
  platform.telemetry.metrics?.accepted();
  wakeWorkers(platform, workflows, prepared);
}

/**
 * Requires that everybody who started the workflow can read the data pools of a call, as well as the owner of the
 * application. A task can get the id of a pool from any text.
 *
 * This includes whoever started a workflow that called this one. Throws data-pool-not-readable.
 */
async function requireReadableByStarters(
  read: Queries,
  instanceId: string,
  pools: ReferencedPools['pools'],
): Promise<void> {
  if (pools.length === 0) return;
  // A grant to the application of the task is no grant to whoever started it.
  const asked = pools.map(({ parameter, id }) => ({ parameter, id }));
  for (let instance: string | undefined = instanceId; instance !== undefined;) {
    const execution = await executionOf(read, instance);
    if (execution?.owner_type && execution.owner_id)
      await requireReadable(read, { reader: { type: execution.owner_type, id: execution.owner_id }, pools: asked });
    instance = execution && (await callerOf(read, execution.id));
  }
}

function executionOf(read: Queries, instanceId: string) {
  return read
    .selectFrom('workflow_instances')
    .innerJoin('executions', 'executions.id', 'workflow_instances.execution_id')
    .select(['executions.id', 'executions.owner_type', 'executions.owner_id'])
    .where('workflow_instances.id', '=', instanceId)
    .executeTakeFirst();
}

/** The instance whose task has started an execution; undefined when no task has. */
async function callerOf(read: Queries, executionId: string): Promise<string | undefined> {
  const job = await read
    .selectFrom('workflow_jobs')
    .select('instance_id')
    .where('id', '=', executionId)
    .executeTakeFirst();
  return job?.instance_id;
}
