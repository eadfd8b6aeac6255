import { isFinal, limits, type ExecutionStatus } from '@kethub/contract';
import type { Value } from '@kethub/workflow';
import type { Subscriber } from '../../gateway/index.ts';
import type { TargetClient, TargetColumns } from '../../on-premise/index.ts';
import type { WorkflowJobRow } from '../../storage/index.ts';
import type { Desk } from './desk.ts';
import { failJob } from './fail-job.ts';
import { postpone } from './queries.ts';
import { callRemote, notTheInterface, RemoteFault, type RemoteSubscriber } from './remote-call.ts';
import type { Call } from './service-call.ts';

const FIRST_POLL_MS = 25;
const LONGEST_POLL_MS = 1_000;

/**
 * Starts a service that runs elsewhere and has the interface of managed services. The provider gets the id of the job as
 * Idempotency-Key: when this process dies between the call and its note, the call is made again under the same key.
 * Throws RemoteFault, of a call that may have been accepted as well.
 */
export async function startRemote(
  desk: Desk,
  job: WorkflowJobRow,
  call: Call,
  subscriber: RemoteSubscriber,
  text: string,
): Promise<void> {
  const started = await callRemote(desk, job, subscriber, {
    operation: 'POST /',
    method: 'POST',
    path: '',
    body: text,
    headers: { 'idempotency-key': job.id },
    mostBytes: limits.workflowResultBytes,
  });
  const address = `/${encodeURIComponent(idIn(started))}`;
  const due = desk.platform.now() + FIRST_POLL_MS;
  const called = { id: job.id, state: 'REMOTE', application_id: subscriber.applicationId, address, due } as const;
  const note = (): Promise<boolean> => desk.note({ called, subscriber, prepared: null });
  if (!hasEnded(started)) return void (await note());
  // Nobody has to know of it as running: its call and its end are one transaction, unless its result is late.
  try {
    await endRemote(desk, job, call, started, { subscriber, address, toCount: subscriber });
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error;
    // Whoever asks next is told again what is wrong.
    await note();
  }
}

/** Asks how it goes, and for the result once it has ended. Throws RemoteFault. */
export async function collectRemote(
  desk: Desk,
  job: WorkflowJobRow,
  call: Call,
  subscriber: RemoteSubscriber,
): Promise<void> {
  const { platform } = desk;
  const address = job.address ?? '';
  const status = await callRemote(desk, job, subscriber, {
    operation: 'GET /{id}',
    method: 'GET',
    path: address,
    mostBytes: limits.jsonBodyBytes,
  });
  if (typeof member(status, 'status') !== 'string')
    throw notTheInterface("The provider's service answered GET /{id} without a status.");
  if (hasEnded(status)) return endRemote(desk, job, call, status, { subscriber, address });
  const due = platform.now() + pauseFor(job, platform.now());
  await platform.database.write((transaction) => postpone(transaction, { ...job, attempts: -1 }, due));
}

interface Where {
  readonly subscriber: RemoteSubscriber;
  readonly address: string;
  /** Of a call that is not noted yet. */
  readonly toCount?: Subscriber;
}

/** Throws RemoteFault for a result that may still be had. */
async function endRemote(
  desk: Desk,
  job: WorkflowJobRow,
  call: Call,
  status: Value,
  { subscriber, address, toCount }: Where,
): Promise<void> {
  const hasSucceeded = member(status, 'status') === 'SUCCEEDED';
  let result: Value;
  try {
    result = await callRemote(desk, job, subscriber, {
      operation: 'GET /{id}/result',
      method: 'GET',
      path: `${address}/result`,
      mostBytes: limits.workflowResultBytes,
    });
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error;
    // Whatever the status under which a service tells why it has failed: that it says so is the answer.
    const isCause = error.isAnswer && !hasSucceeded;
    if (error.mayPass && !isCause) throw error;
    return failJob(desk, job, call, error.response, toCount);
  }
  if (!hasSucceeded) return failJob(desk, job, call, result, toCount);
  const { serviceId, applicationId } = call;
  const called = { serviceId, applicationId };
  return desk.end(job, { type: 'jobSucceeded', job: job.job, result: withoutHal(result), called }, toCount);
}

function hasEnded(status: Value): boolean {
  const known = member(status, 'status');
  return typeof known === 'string' && isFinal(known as ExecutionStatus);
}

/** What is over soon is asked about often: half as long as the job is old, which its id tells, 25 ms to a second. */
function pauseFor({ id }: WorkflowJobRow, now: number): number {
  const age = now - parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return Math.round(Math.min(LONGEST_POLL_MS, Math.max(FIRST_POLL_MS, age / 2)));
}

/** Nobody wants the result any more. What the provider makes of that is the provider's. */
export async function cancelRemote(targets: TargetClient, job: WorkflowJobRow, target: TargetColumns): Promise<void> {
  const path = `${job.address ?? ''}/cancel`;
  await targets.call(target, { method: 'PUT', path, requestId: job.id }, limits.jsonBodyBytes);
}

/** Throws RemoteFault when there is none, or none that can stand in an address. */
function idIn(started: Value): string {
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
