import { readExact } from '../exact.ts';
import type { TargetColumns } from '../../../catalog/on-premise/index.ts';
import type { WorkflowJobRow } from '../../../foundation/storage/index.ts';
import { abandonJob } from './abandon.ts';
import type { JobContext } from './contexts.ts';
import type { JobEnvironment } from './job-environment.ts';
import { RemoteFault } from './remote-fault.ts';
import { targetOf } from './remote-job.ts';
import { admitTask, callOf, inputOf } from './service-call.ts';
import { startRemote } from './start-remote.ts';

/**
 * Recalls a start that was cancelled while an earlier process had sent it, which died before it knew the answer. It is
 * sent again under the same Idempotency-Key, to learn the id to cancel.
 *
 * With erased secrets it would be another request: then it is not sent, and the journal says so.
 */
export async function recall(
  environment: JobEnvironment,
  job: WorkflowJobRow,
  context: JobContext | undefined,
): Promise<void> {
  const { platform, directory } = environment;
  const reason = 'The platform stopped before it had stored the answer to the start.';
  const { $secrets } = (await readExact(job.input ?? '{}')) as { $secrets?: unknown };
  if (!context || ($secrets != null && context.sealedSecrets === null)) return abandonJob(platform, job, reason);
  const call = callOf(job, context);
  const subscriber = await admitTask(platform, directory, call, context).catch((error: unknown) => {
    throw new RemoteFault(reason, false, null, { cause: error });
  });
  const target = await targetOfCall(environment, job, context);
  await startRemote(environment, job, call, { ...subscriber, target }, await inputOf(platform, job, context));
}

/**
 * The target at which the service of a job was called, even if nobody is subscribed to it any more. Throws RemoteFault.
 */
export async function targetOfCall(
  { platform, directory }: JobEnvironment,
  job: WorkflowJobRow,
  context: JobContext | undefined,
): Promise<TargetColumns> {
  const known = job.service_version_id && (await targetOf(platform.database, job.service_version_id));
  if (known) return known;
  // The job is from before versions were stored with jobs.
  const target = context && (await admitTask(platform, directory, callOf(job, context), context)).target;
  if (target) return target;
  throw new RemoteFault('The service does not run elsewhere any more.', false, null);
}
