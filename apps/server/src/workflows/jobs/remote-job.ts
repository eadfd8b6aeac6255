import { isFinal, limits, type ExecutionStatus } from '@kethub/contract';
import type { Value } from '@kethub/workflow';
import type { Subscriber } from '../../gateway/index.ts';
import type { TargetAnswer, TargetClient, TargetColumns } from '../../on-premise/index.ts';
import type { WorkflowJobRow } from '../../storage/index.ts';
import type { Desk } from './desk.ts';
import { failJob } from './fail-job.ts';
import { postpone } from './queries.ts';
import type { Call } from './service-call.ts';

const FIRST_POLL_MS = 25;
const LONGEST_POLL_MS = 1_000;
/** Its result could not be fetched at once: whoever failed says when to ask again, and should it have died, somebody does then. */
const COLLECTING_MS = 60_000;

/**
 * Starts a service that runs elsewhere and has the interface of managed services. The provider gets the id of the job as
 * Idempotency-Key: when this process dies between the call and its note, the call is made again under the same key.
 */
export async function startRemote(
  desk: Desk,
  job: WorkflowJobRow,
  call: Call,
  subscriber: Subscriber & { readonly target: TargetColumns },
  text: string,
): Promise<void> {
  const { target, applicationId } = subscriber;
  const answer = await desk.targets.call(
    target,
    { method: 'POST', path: '', body: text, headers: { 'idempotency-key': job.id, 'x-request-id': job.id } },
    limits.workflowResultBytes,
  );
  const id = idIn(answer);
  if (id === null) return failJob(desk, job, call, jsonOf(answer));
  const isDone = hasEnded(jsonOf(answer));
  const address = `/${encodeURIComponent(id)}`;
  const due = desk.platform.now() + (isDone ? COLLECTING_MS : FIRST_POLL_MS);
  const called = { id: job.id, state: 'REMOTE', application_id: applicationId, address, due } as const;
  const note = (): Promise<boolean> => desk.note({ called, subscriber, prepared: null });
  if (!isDone) return void (await note());
  // Nobody has to know of it as running: its call and its end are one transaction, unless its result is late.
  const result = await resultOf(desk, target, address).catch(async (error: unknown) => {
    await note();
    throw error;
  });
  await endRemote(desk, job, call, jsonOf(answer), result, subscriber);
}

/** Asks how it goes, and for the result once it has ended. */
export async function collectRemote(desk: Desk, job: WorkflowJobRow, call: Call, target: TargetColumns): Promise<void> {
  const { platform, targets } = desk;
  const path = job.address ?? '';
  const status = jsonOf(await targets.call(target, { method: 'GET', path }, limits.jsonBodyBytes));
  if (!hasEnded(status)) {
    const due = platform.now() + pauseFor(job, platform.now());
    await platform.database.write((transaction) => postpone(transaction, { ...job, attempts: -1 }, due));
    return;
  }
  await endRemote(desk, job, call, status, await resultOf(desk, target, path));
}

function resultOf({ targets }: Desk, target: TargetColumns, address: string): Promise<TargetAnswer> {
  return targets.call(target, { method: 'GET', path: `${address}/result` }, limits.workflowResultBytes);
}

function endRemote(
  desk: Desk,
  job: WorkflowJobRow,
  call: Call,
  status: Value,
  answer: TargetAnswer,
  subscriber?: Subscriber,
): Promise<void> {
  const result = jsonOf(answer);
  const succeeded = member(status, 'status') === 'SUCCEEDED' && answer.status === 200;
  if (!succeeded) return failJob(desk, job, call, result, subscriber);
  return desk.end(job, { type: 'jobSucceeded', job: job.job, result: withoutHal(result) }, subscriber);
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
  await targets.call(target, { method: 'PUT', path: `${job.address ?? ''}/cancel` }, limits.jsonBodyBytes);
}

function idIn(answer: TargetAnswer): string | null {
  const body = answer.status >= 200 && answer.status < 300 ? jsonOf(answer) : null;
  const id = member(body, 'id');
  return typeof id === 'string' && /^[\w.-]{1,100}$/.test(id) && !/^\.+$/.test(id) ? id : null;
}

function member(value: Value, name: string): Value {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return (value as { readonly [name: string]: Value })[name] ?? null;
}

function jsonOf({ status, text }: TargetAnswer): Value {
  try {
    return JSON.parse(text) as Value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const title = "The provider's service has not the interface of managed services";
    return { type: 'about:blank', title, status, detail: `It answered ${status} with what is not JSON.` };
  }
}

function withoutHal(result: Value): Value {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result;
  const { _links, _embedded, ...own } = result as { readonly [name: string]: Value };
  return own;
}
