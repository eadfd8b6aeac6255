import { isFinal, limits, type ExecutionStatus } from '@kethub/contract';
import type { Value } from '@kethub/workflow';
import type { Subscriber } from '../../gateway/index.ts';
import { countExecution, hasQuota } from '../../limits/index.ts';
import type { TargetAnswer, TargetClient, TargetColumns } from '../../on-premise/index.ts';
import type { Platform } from '../../platform.ts';
import type { WorkflowJobRow } from '../../storage/index.ts';
import { endJob, markRemote, postpone } from './queries.ts';
import type { Call } from './service-call.ts';
import { failJob } from './fail-job.ts';

const POLL_MS = 1_000;

/**
 * Starts a service that runs elsewhere and has the interface of managed services. The provider gets the id of the job as
 * Idempotency-Key: when this process dies between the call and its note, the call is made again under the same key.
 */
export async function startRemote(
  platform: Platform,
  targets: TargetClient,
  job: WorkflowJobRow,
  call: Call,
  subscriber: Subscriber & { readonly target: TargetColumns },
  text: string,
): Promise<void> {
  const answer = await targets.call(
    subscriber.target,
    { method: 'POST', path: '', body: text, headers: { 'idempotency-key': job.id, 'x-request-id': job.id } },
    limits.workflowResultBytes,
  );
  const id = idIn(answer);
  if (id === null) return failJob(platform, job, call, jsonOf(answer));
  await platform.database.write(async (transaction) => {
    const { limits: usage, subscriptionId, applicationId } = subscriber;
    const noted = await markRemote(transaction, job, applicationId, `/${encodeURIComponent(id)}`);
    if (noted && hasQuota(usage)) await countExecution(transaction, subscriptionId, usage, platform.now());
  });
}

/** Asks how it goes, and for the result once it has ended. */
export async function collectRemote(
  platform: Platform,
  targets: TargetClient,
  job: WorkflowJobRow,
  call: Call,
  target: TargetColumns,
): Promise<void> {
  const path = job.address ?? '';
  const status = jsonOf(await targets.call(target, { method: 'GET', path }, limits.jsonBodyBytes));
  const known = member(status, 'status');
  if (typeof known !== 'string' || !isFinal(known as ExecutionStatus)) {
    await platform.database.write((transaction) =>
      postpone(transaction, { ...job, attempts: -1 }, platform.now() + POLL_MS),
    );
    return;
  }
  const answer = await targets.call(target, { method: 'GET', path: `${path}/result` }, limits.workflowResultBytes);
  const result = jsonOf(answer);
  if (known !== 'SUCCEEDED' || answer.status !== 200) return failJob(platform, job, call, result);
  await platform.database.write((transaction) =>
    endJob(platform, transaction, job, { type: 'jobSucceeded', job: job.job, result: withoutHal(result) }),
  );
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
