import { limits, WorkflowSignalRequest, type WorkflowSignalReceipt } from '@kethub/contract';
import { isTooDeep, jsonText, type Variables } from '@kethub/workflow';
import { sql } from 'kysely';
import { findWorkflowVersion, requirementsIn } from '../../catalog/services/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import type { BeforeCommit, Origin, Workflows, Write } from '../executions/index.ts';
import { insertSignal, runsFor, type NewSignal } from './advance/index.ts';
import { bodyReader } from './body-reader.ts';
import { requireSealed } from './secret-variables.ts';
import { startByEvent } from './start-by-event.ts';
import { workflowsToDo } from './wake.ts';

const signalIn = bodyReader<WorkflowSignalRequest>(WorkflowSignalRequest, 'signal');

const REMEDY = 'Leave it out: a signal carries no secrets.';
/**
 * Number of services that a signal reaches against whose secrets its variables are checked. Further services are not
 * checked.
 */
const SERVICES = 50;

type Started = Awaited<ReturnType<typeof startByEvent>>;

/**
 * Broadcasts a signal to the workflow services of an owner. It reaches all events that wait for its name now, and
 * signal start events of the versions deployed last. Workers deliver it.
 */
export async function broadcastSignal(
  platform: Platform,
  workflows: Workflows,
  context: Context,
  request: WorkflowSignalRequest,
  write: Write,
): Promise<WorkflowSignalReceipt> {
  const owner = `${context.type} ${context.id}`;
  const signal = { ...newSignal(platform, owner, request), person_id: context.personId };
  const receipt = await write(async (transaction) => {
    const services = await servicesOf(transaction, context, signal.name);
    await requireSealed(transaction, workflows, services, request.variables, REMEDY);
    const waiting = await insertSignal(transaction, signal, null, limits.workflowSignalCount);
    const starting = await countStarts(transaction, context, signal.name);
    return receiptOf(signal, { waiting, starting, started: [] });
  });
  workflowsToDo(platform.database);
  return receipt;
}

/**
 * Broadcasts a signal for a subscribed application: to instances that this subscription has started, and to signal
 * start events of the subscribed version. `beforeCommit` runs for each execution that it starts.
 */
export async function broadcastOfSubscriber(
  platform: Platform,
  workflows: Workflows,
  origin: Origin,
  text: Buffer,
  beforeCommit: BeforeCommit | null,
  write: Write,
): Promise<WorkflowSignalReceipt> {
  const request = await signalIn(text);
  const owner = `${origin.owner.type} ${origin.owner.id}`;
  const signal = { ...newSignal(platform, owner, request), runs_for: runsFor(owner, origin.subscriptionId) };
  let started: readonly Started[] = [];
  const receipt = await write(async (transaction) => {
    await requireSealed(transaction, workflows, [origin.serviceId], request.variables, REMEDY);
    const waiting = await insertSignal(transaction, signal, origin.serviceId, limits.workflowSignalCount);
    started = await startBySignal(platform, workflows, transaction, origin, request);
    for (const _ of started) await beforeCommit?.(transaction);
    return receiptOf(signal, { waiting, starting: 0, started: started.map(({ id }) => id) });
  });
  workflowsToDo(platform.database);
  for (const one of started) one.started();
  return receipt;
}

/** Throws too-large, invalid-request, and invalid-secrets: secrets are for one instance, but a signal reaches many. */
function newSignal(
  { newId, now }: Platform,
  owner: string,
  { name, variables = {} }: WorkflowSignalRequest,
): NewSignal {
  if (Object.hasOwn(variables, '$secrets'))
    throw new Problem(
      'invalid-secrets',
      'A signal carries no secrets, because many instances receive it. Remove `$secrets`, or start each workflow with its own.',
    );
  const text = jsonText(variables);
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.workflowSignalBytes)
    throw new Problem(
      'too-large',
      `The variables of a signal may have at most ${limits.workflowSignalBytes} bytes; these have ${bytes}.`,
    );
  if (isTooDeep(variables as Variables)) throw new Problem('invalid-request', 'The variables are nested too deeply.');
  if (name.includes('\0')) throw new Problem('invalid-request', 'A name must not hold the character U+0000.');
  return {
    id: newId(),
    owner,
    runs_for: null,
    person_id: null,
    name,
    variables: text,
    instance_id: null,
    signal: null,
    depth: 0,
    created_at: now(),
  };
}

function receiptOf(
  { id, name }: NewSignal,
  reached: Pick<WorkflowSignalReceipt, 'waiting' | 'starting' | 'started'>,
): WorkflowSignalReceipt {
  return { id, name, ...reached };
}

/** Workflow services of an owner that a signal of this name reaches. */
async function servicesOf(queries: Queries, { type, id }: Context, name: string): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`select id from services as service
    where owner_type = ${type} and owner_id = ${id} and type = 'WORKFLOW'
      and (exists (select 1 from workflow_signal_subscriptions as waiting
          where waiting.service_id = service.id and waiting.signal_name = ${name})
        or exists (select 1 from workflow_signal_starts as start
          where start.service_id = service.id and start.signal_name = ${name}))
    order by id limit ${SERVICES}`.execute(queries);
  return rows.map((row) => row.id);
}

async function countStarts(queries: Queries, { type, id }: Context, name: string): Promise<number> {
  const { rows } = await sql<{ count: number | string }>`select count(*) as count from services
    join workflow_signal_starts as start on start.service_id = services.id
    where owner_type = ${type} and owner_id = ${id} and type = 'WORKFLOW' and signal_name = ${name}`.execute(queries);
  return Number(rows[0]?.count ?? 0);
}

async function startBySignal(
  platform: Platform,
  workflows: Workflows,
  transaction: Queries,
  origin: Origin,
  { name, variables = {} }: WorkflowSignalRequest,
): Promise<readonly Started[]> {
  const version = await findWorkflowVersion(transaction, origin.serviceVersionId);
  const starts = (version && requirementsIn(version)?.signalStarts) ?? [];
  const started: Started[] = [];
  for (const { elementId, signalName } of starts) {
    if (signalName !== name) continue;
    const event = { elementId, variables: variables as Variables };
    started.push(await startByEvent(platform, workflows, transaction, origin, event));
  }
  return started;
}
