import { isFinal, limits, type ExecutionStatus } from '@kethub/contract';
import type { Value } from '@kethub/workflow';
import { Unanswered, type TargetClient, type TargetColumns } from '../../../catalog/on-premise/index.ts';
import type { Database, WorkflowJobRow } from '../../../foundation/storage/index.ts';
import type { JobEnvironment } from './job-environment.ts';
import { failJob } from './fail-job.ts';
import { postpone } from './queries.ts';
import { callRemote, isTransient, type RemoteSubscriber } from './remote-call.ts';
import { notTheInterface, RemoteFault } from './remote-fault.ts';
import type { Call } from './service-call.ts';

export const FIRST_POLL_MS = 25;
const LONGEST_POLL_MS = 1_000;

/** Reads the status of a remote execution, and its result once it has ended. Throws RemoteFault. */
export async function collectRemote(
  environment: JobEnvironment,
  job: WorkflowJobRow,
  call: Call,
  subscriber: RemoteSubscriber,
): Promise<void> {
  const { platform } = environment;
  const address = job.address ?? '';
  const status = await callRemote(environment, job, subscriber, {
    operation: 'GET /{id}',
    method: 'GET',
    path: address,
    mostBytes: limits.jsonBodyBytes,
  });
  if (typeof member(status, 'status') !== 'string')
    throw notTheInterface("The provider's service answered GET /{id} without a status.");
  if (hasEnded(status)) return endRemote(environment, job, call, status, { subscriber, address });
  const due = platform.now() + pauseFor(job, platform.now());
  await platform.database.write((transaction) => postpone(transaction, { ...job, attempts: -1 }, due));
}

interface Where {
  readonly subscriber: RemoteSubscriber;
  readonly address: string;
}

/** Reads the result and ends the job. Throws RemoteFault when another try may get the result. */
export async function endRemote(
  environment: JobEnvironment,
  job: WorkflowJobRow,
  call: Call,
  status: Value,
  { subscriber, address }: Where,
): Promise<void> {
  const hasSucceeded = member(status, 'status') === 'SUCCEEDED';
  let result: Value;
  try {
    result = await callRemote(environment, job, subscriber, {
      operation: 'GET /{id}/result',
      method: 'GET',
      path: `${address}/result`,
      mostBytes: limits.workflowResultBytes,
    });
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error;
    // A service may report its failure under any HTTP status: the JSON is the answer.
    const isCause = error.isAnswer && !hasSucceeded;
    if (error.isTransient && !isCause) throw error;
    return failJob(environment, job, call, error.response);
  }
  if (!hasSucceeded) return failJob(environment, job, call, result);
  const { serviceId, applicationId } = call;
  const called = { serviceId, applicationId };
  return environment.end(job, { type: 'jobSucceeded', job: job.job, result: withoutHal(result), called });
}

export function hasEnded(status: Value): boolean {
  const known = member(status, 'status');
  return typeof known === 'string' && isFinal(known as ExecutionStatus);
}

/**
 * Milliseconds until the next poll: half the age of the job, 25 ms to a second. The id of the job contains its time.
 *
 * A negative age means that the clock was set back.
 */
function pauseFor({ id }: WorkflowJobRow, now: number): number {
  const age = now - parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return age < 0 ? LONGEST_POLL_MS : Math.round(Math.min(LONGEST_POLL_MS, Math.max(FIRST_POLL_MS, age / 2)));
}

/** The target of a version; undefined when it does not run elsewhere any more. */
export function targetOf({ read }: Database, serviceVersionId: string): Promise<TargetColumns | undefined> {
  return read
    .selectFrom('on_premise_targets')
    .select(['url', 'timeout_ms', 'sealed_credentials'])
    .where('service_version_id', '=', serviceVersionId)
    .executeTakeFirst();
}

/** Cancels a remote execution. Throws RemoteFault, also when the provider is overloaded or fails. */
export async function cancelRemote(targets: TargetClient, job: WorkflowJobRow, target: TargetColumns): Promise<void> {
  const path = `${job.address ?? ''}/cancel`;
  const { status } = await targets
    .call(target, { method: 'PUT', path, requestId: job.id }, limits.jsonBodyBytes)
    .catch((error: unknown) => {
      if (!(error instanceof Unanswered)) throw error;
      // An answer that is too long is an answer as well.
      if (error.failure === 'TOO_LARGE') return { status: 200 };
      throw new RemoteFault(error.message, error.failure !== 'REFUSED', null, { cause: error });
    });
  if (isTransient('PUT /{id}/cancel', status))
    throw new RemoteFault(`The provider's service answered PUT /{id}/cancel with ${status}.`, true, null);
}

/** The id in the answer to a start. Throws RemoteFault when there is none, or none that fits into an address. */
export function idIn(started: Value): string {
  const id = member(started, 'id');
  if (typeof id === 'string' && /^[\w.-]{1,100}$/.test(id) && !/^\.+$/.test(id)) return id;
  const form = 'one to a hundred letters, digits, dots, hyphens and underscores';
  throw notTheInterface(`The provider's service answered POST / without an id of ${form}.`);
}

function member(value: Value, name: string): Value {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return (value as { readonly [name: string]: Value })[name] ?? null;
}

function withoutHal(result: Value): Value {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result;
  const { _links, _embedded, ...own } = result as { readonly [name: string]: Value };
  return own;
}
