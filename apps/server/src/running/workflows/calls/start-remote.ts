import { limits } from '@kethub/contract';
import type { Value } from '@kethub/workflow';
import { Problem } from '../../../foundation/http/index.ts';
import { uncountExecution } from '../../../catalog/limits/index.ts';
import type { WorkflowJobRow } from '../../../foundation/storage/index.ts';
import { eventRow, insertEvents } from '../advance/index.ts';
import { workflowsToDo } from '../wake.ts';
import { noteAbandoned } from './abandon.ts';
import { reopen, withdraw } from './calls.ts';
import type { JobEnvironment, Call as Noted } from './job-environment.ts';
import { failJob } from './fail-job.ts';
import { isOver, pauseAfter } from './retry-policy.ts';
import { callRemote, type RemoteSubscriber } from './remote-call.ts';
import { RemoteFault } from './remote-fault.ts';
import { cancelRemote, endRemote, FIRST_POLL_MS, hasEnded, idIn } from './remote-job.ts';
import type { Call } from './service-call.ts';

/**
 * Starts a service that runs elsewhere and has the interface of managed services. The start is stored before it is
 * sent, so that nobody else sends it, however long this process stands still.
 *
 * The Idempotency-Key is the id of the job. When this process dies before the answer is stored, the next process of
 * this worker sends the start again under the same key.
 *
 * A job that is cancelled meanwhile is cancelled at the provider as soon as its id is known. Throws quota-exceeded.
 */
export async function startRemote(
  environment: JobEnvironment,
  job: WorkflowJobRow,
  call: Call,
  subscriber: RemoteSubscriber,
  text: string,
): Promise<void> {
  const stored = await environment.calling(job, subscriber).catch(async (error: unknown) => {
    // The answer of the database may have been lost. The start was not sent.
    if (!(error instanceof Problem)) await takeBack(environment, job);
    throw error;
  });
  if (!stored) return;
  let started: Value;
  let address: string;
  try {
    started = await send(environment, job, subscriber, text);
    address = `/${encodeURIComponent(idIn(started))}`;
  } catch (error) {
    const isAgain = job.state === 'CANCELLING';
    return isAgain ? notFound(environment, stored, error) : notStarted(environment, stored, call, subscriber, error);
  }
  const due = environment.platform.now() + FIRST_POLL_MS;
  const store = () =>
    environment.persist(job, () => environment.answered({ id: job.id, caller: stored.job.caller ?? '', address, due }));
  if (!hasEnded(started) || stored.job.state === 'WITHDRAWN') {
    if ((await store()) === undefined) await cancelGone(environment, job, subscriber, address);
    return;
  }
  // A call that has ended already is never stored as running: its start and its end are one transaction, unless the
  // result is late.
  try {
    await endRemote(certain(environment, stored.job, null), stored.job, call, started, { subscriber, address });
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error;
    // The next poll meets the same fault again.
    await store();
  }
}

/** Reverts the stored start, if there is one, because it was not sent. */
function takeBack(
  { platform: { database, now }, persist, caller }: JobEnvironment,
  job: WorkflowJobRow,
): Promise<unknown> {
  const stored = { ...job, caller };
  const from = job.state === 'CANCELLING' ? 'WITHDRAWN' : 'CALLING';
  return persist(job, () =>
    database.write(
      async (transaction) => (await reopen(transaction, stored, from, now())) || withdraw(transaction, stored),
    ),
  );
}

function send(
  environment: JobEnvironment,
  job: WorkflowJobRow,
  subscriber: RemoteSubscriber,
  text: string,
): Promise<Value> {
  return callRemote(environment, job, subscriber, {
    operation: 'POST /',
    method: 'POST',
    path: '',
    body: text,
    headers: { 'idempotency-key': job.id },
    mostBytes: limits.workflowResultBytes,
  });
}

/** Handles a start without an id: the next step depends on whether the service may have begun all the same. */
async function notStarted(
  environment: JobEnvironment,
  { job, countedAt }: Noted,
  call: Call,
  { subscriptionId }: RemoteSubscriber,
  error: unknown,
): Promise<void> {
  const fault = faultOf(error);
  const { platform } = environment;
  const { database, now, telemetry, log } = platform;
  if (fault.mayHaveBegun || !fault.isTransient || isOver(job, fault)) {
    if (!fault.mayHaveBegun && countedAt !== null)
      await environment.persist(job, () => database.write((one) => uncountExecution(one, subscriptionId, countedAt)));
    const reason = fault.mayHaveBegun ? fault.message : null;
    return failJob(certain(environment, job, reason), job, call, fault.response);
  }
  log.warn({ job: job.id, attempts: job.attempts, err: fault }, 'a job of a workflow is tried again');
  telemetry.metrics?.workflowRetried('job');
  const delayed = { type: 'jobDelayed', job: job.job, reason: fault.message } as const;
  const event = job.attempts === 0 ? eventRow(platform, job.instance_id, delayed) : null;
  await environment.persist(job, () =>
    database.write(async (transaction) => {
      if (await reopen(transaction, job, 'CALLING', now() + pauseAfter(job.attempts))) {
        if (event) await insertEvents(transaction, [event]);
      } else if (!(await withdraw(transaction, job))) return;
      if (countedAt !== null) await uncountExecution(transaction, subscriptionId, countedAt);
    }),
  );
  if (event) workflowsToDo(database, 'EVENTS');
}

/** Handles a start that was sent again in vain, to learn the id to cancel. */
async function notFound({ platform, persist }: JobEnvironment, { job }: Noted, error: unknown): Promise<void> {
  const fault = faultOf(error);
  const { database, now, telemetry, log } = platform;
  const isAgain = !fault.mayHaveBegun && fault.isTransient && !isOver(job, fault);
  log.warn(
    { job: job.id, attempts: job.attempts, err: fault },
    'it is not known which execution a cancelled task has started',
  );
  telemetry.metrics?.workflowRetried('job');
  await persist(job, () =>
    database.write(async (transaction) => {
      if (isAgain) await reopen(transaction, job, 'WITHDRAWN', now() + pauseAfter(job.attempts));
      else if (await withdraw(transaction, job)) await noteAbandoned(platform, transaction, job, fault.message);
    }),
  );
  workflowsToDo(database, 'EVENTS');
}

/**
 * An environment that retries until the end of this call is written, and that removes a job which was cancelled
 * meanwhile.
 *
 * `mayRun`: why the service may be running although nobody can cancel it, for the journal.
 */
function certain(environment: JobEnvironment, job: WorkflowJobRow, mayRun: string | null): JobEnvironment {
  const { platform } = environment;
  const remove = (): Promise<boolean> =>
    platform.database.write(async (transaction) => {
      const withdrawn = await withdraw(transaction, job);
      if (withdrawn && mayRun !== null) await noteAbandoned(platform, transaction, job, mayRun);
      return withdrawn;
    });
  return {
    ...environment,
    async end(ended, event) {
      await environment.persist(job, () => environment.end(ended, event));
      if ((await environment.persist(job, remove)) && mayRun !== null) workflowsToDo(platform.database, 'EVENTS');
    },
  };
}

/** Cancels a call whose job is gone: deleted with its instance, or given up with this process. */
async function cancelGone(
  { targets, platform }: JobEnvironment,
  job: WorkflowJobRow,
  { target }: RemoteSubscriber,
  address: string,
): Promise<void> {
  platform.log.warn({ job: job.id }, 'a service has started an execution for a job that is gone: it is cancelled');
  await cancelRemote(targets, { ...job, address }, target).catch((error: unknown) =>
    platform.log.error({ job: job.id, err: error }, 'the execution of a job that is gone could not be cancelled'),
  );
}

/** The fault of an error. An error of the platform may have happened after the start was sent. */
function faultOf(error: unknown): RemoteFault {
  if (error instanceof RemoteFault) return error;
  const detail = 'The platform could not call the service. The operator finds the cause in the log.';
  const response = { type: 'about:blank', title: 'Internal error', detail };
  return new RemoteFault(detail, false, response, { mayHaveBegun: true, cause: error });
}
