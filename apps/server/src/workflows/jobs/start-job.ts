import type { Value } from '@kethub/workflow';
import {
  acceptExecution,
  type Fitting,
  prepareExecution,
  removeInput,
  wakeWorkers,
  type Workflows,
} from '../../executions/index.ts';
import type { AccessDirectory, Subscriber } from '../../gateway/index.ts';
import { Problem } from '../../http/index.ts';
import { countExecution, hasQuota } from '../../limits/index.ts';
import type { TargetClient } from '../../on-premise/index.ts';
import type { Platform } from '../../platform.ts';
import { isOutage, type WorkflowJobRow } from '../../storage/index.ts';
import { failJob } from './fail-job.ts';
import { markStarted } from './queries.ts';
import { startRemote } from './remote-job.ts';
import { admitTask, callOf, contextOf, inputOf } from './service-call.ts';

/**
 * Starts the service that a task calls, as the gateway would for the application: subscription, quota, input. The
 * execution is written in the transaction that marks the job as started, and has its id: so it is started once, whatever
 * dies in between. In process rather than over HTTP, because nothing else could be one transaction; it also needs neither
 * the secret of an access key nor a gateway that is up.
 */
export async function startJob(
  platform: Platform,
  workflows: Workflows,
  directory: AccessDirectory,
  targets: TargetClient,
  fitting: Fitting,
  job: WorkflowJobRow,
): Promise<void> {
  const context = await contextOf(platform, job.instance_id);
  if (!context) return;
  const call = callOf(job, context);
  let subscriber: Subscriber | null = null;
  try {
    subscriber = await admitTask(platform, directory, call, context);
    const text = inputOf(platform, job, context);
    const { target } = subscriber;
    if (!target && !subscriber.isWorkflow) await fitting.require(subscriber.serviceVersionId);
    if (target) await startRemote(platform, targets, job, call, { ...subscriber, target }, text);
    else await startHere(platform, workflows, job, subscriber, text);
  } catch (error) {
    // What could not be reached is called again; whether anything else has worked on the call is not known.
    const again = error instanceof Problem && error.status >= 500 && !unknown.has(error.code);
    if (!(error instanceof Problem) || again) throw error;
    await failJob(platform, job, call, problemOf(platform, error, subscriber));
  }
}

/** The provider may have begun: calling again could do it twice. */
const unknown: ReadonlySet<string> = new Set(['upstream-timeout', 'upstream-failed']);

async function startHere(
  platform: Platform,
  workflows: Workflows,
  job: WorkflowJobRow,
  subscriber: Subscriber,
  text: string,
): Promise<void> {
  const prepared = await prepareExecution(platform, workflows, subscriber, job.id, text);
  let accepted = false;
  let unsure = false;
  try {
    accepted = await platform.database.write(async (transaction) => {
      if (!(await markStarted(transaction, job, subscriber.applicationId, subscriber.scope.address))) return false;
      const { limits, subscriptionId } = subscriber;
      if (hasQuota(limits)) await countExecution(transaction, subscriptionId, limits, platform.now());
      await acceptExecution(workflows, transaction, prepared);
      return true;
    });
  } catch (error) {
    // It may have been accepted, and only the answer of the database was lost.
    unsure = isOutage(error);
    throw error;
  } finally {
    if (!accepted && !unsure) await removeInput(platform, prepared.row.input_blob);
  }
  if (!accepted) return;
  platform.telemetry.metrics?.accepted();
  wakeWorkers(platform, workflows, prepared);
}

/** What the gateway would have answered. */
function problemOf({ addresses }: Platform, problem: Problem, subscriber: Subscriber | null): Value {
  const { pathname } = new URL(subscriber ? `${subscriber.scope.address}/` : addresses.gateway);
  return problem.document(addresses.problems, pathname);
}
