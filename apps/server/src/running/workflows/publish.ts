import { limits, WorkflowMessageRequest, type WorkflowMessageReceipt } from '@kethub/contract';
import { isTooDeep, jsonText, type Variables } from '@kethub/workflow';
import type { BeforeCommit, Origin, Workflows, Write } from '../executions/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { findWorkflowVersion, newestPublished, requirementsIn, requireService } from '../../catalog/services/index.ts';
import { isDuplicate, type Queries, type WorkflowMessageRow } from '../../foundation/storage/index.ts';
import { originOfOwner, startByEvent } from './start-by-event.ts';
import { correlate } from './messages.ts';
import { bodyReader } from './body-reader.ts';
import { receiptOf } from './message-receipt.ts';
import { activeWith, startKeyOf, takeStartKey } from './start-keys.ts';
import { requireSealed } from './secret-variables.ts';
import { workflowsToDo } from './wake.ts';

/** Number of messages of one subscription that may wait for instances. Further ones are refused with conflict. */
const MOST_WAITING = 1_000;
const REMEDY = 'Leave it out: only a message that starts the workflow can carry $secrets.';
const messageIn = bodyReader<WorkflowMessageRequest>(WorkflowMessageRequest, 'message');

type Started = Awaited<ReturnType<typeof startByEvent>>;

/**
 * Publishes a message for a workflow service of the caller. It starts an instance when the deployed version has a start
 * event of its name. It is correlated with a waiting instance, or waits until it expires.
 *
 * Throws not-found, and conflict for an id that waits already.
 */
export function publishMessage(
  platform: Platform,
  workflows: Workflows,
  context: Context,
  serviceId: string,
  request: WorkflowMessageRequest,
  write: Write,
): Promise<WorkflowMessageReceipt> {
  const row = messageRow(platform, serviceId, null, request);
  return publish(platform, row, request, write, async (transaction) => {
    const service = await requireService(transaction, context, serviceId);
    if (service.type !== 'WORKFLOW') throw new Problem('not-found', `The service ${service.name} is no workflow.`);
    await requireSealed(transaction, workflows, [serviceId], request.variables, REMEDY);
    await insertMessage(platform, transaction, row);
    const [newest] = await newestPublished(transaction, [serviceId], platform.now());
    if (!newest) return { started: [], activeId: null };
    const owner = { type: context.type, id: context.id };
    const origin = originOfOwner(platform, owner, context.personId, serviceId, newest.id);
    return startByMessage(platform, workflows, transaction, origin, row, request);
  });
}

/**
 * Publishes a message for a subscribed application, to the subscribed version and to instances that this subscription
 * has started. It never reaches instances of others.
 */
export async function publishOfSubscriber(
  platform: Platform,
  workflows: Workflows,
  origin: Origin,
  text: Buffer,
  beforeCommit: BeforeCommit | null,
  write: Write,
): Promise<WorkflowMessageReceipt> {
  const request = await messageIn(text);
  const row = messageRow(platform, origin.serviceId, origin.subscriptionId, request);
  return publish(platform, row, request, write, async (transaction) => {
    await requireSealed(transaction, workflows, [row.service_id], request.variables, REMEDY);
    await requireMessageLimit(transaction, row);
    await insertMessage(platform, transaction, row);
    const made = await startByMessage(platform, workflows, transaction, origin, row, request);
    for (const _ of made.started) await beforeCommit?.(transaction);
    return made;
  });
}

/** The row of a message. It has no secrets and tags: these are only for instances that the message starts at once. */
function messageRow(
  { newId, now }: Platform,
  serviceId: string,
  subscriptionId: string | null,
  { name, correlationKey = '', variables = {}, messageId, timeToLiveSeconds = 3600 }: WorkflowMessageRequest,
): WorkflowMessageRow {
  const { $secrets: _secrets, $tags: _tags, ...plain } = variables;
  const text = jsonText(plain);
  if (Buffer.byteLength(text) > limits.jsonBodyBytes)
    throw new Problem('too-large', `The variables may have at most ${limits.jsonBodyBytes} bytes.`);
  if (isTooDeep(variables as Variables)) throw new Problem('invalid-request', 'The variables are nested too deeply.');
  if ([name, correlationKey, messageId ?? ''].some((one) => one.includes('\0')))
    throw new Problem('invalid-request', 'Names and keys must not hold the character U+0000.');
  return {
    id: newId(),
    service_id: serviceId,
    subscription_id: subscriptionId,
    name,
    correlation_key: correlationKey,
    variables: text,
    message_id: messageId ?? null,
    created_at: now(),
    expires_at: now() + timeToLiveSeconds * 1000,
    correlated_at: null,
    owner: null,
    depth: 0,
  };
}

export interface Made {
  readonly started: readonly Started[];
  /** The active instance because of which the message starts no other. */
  readonly activeId: string | null;
}

async function publish(
  platform: Platform,
  row: WorkflowMessageRow,
  { variables = {} }: WorkflowMessageRequest,
  write: Write,
  act: (transaction: Queries) => Promise<Made>,
): Promise<WorkflowMessageReceipt> {
  const { name, message_id } = row;
  let started: readonly Started[] = [];
  try {
    const receipt = await write(async (transaction) => {
      const made = await act(transaction);
      ({ started } = made);
      if (started.length === 0 && Object.hasOwn(variables, '$secrets'))
        throw new Problem(
          'invalid-secrets',
          `The message ${name} does not start a workflow. Remove $secrets: only messages that start one may carry secrets.`,
        );
      const delivered = await correlate(platform, transaction, row);
      const ids = started.map(({ id }) => id);
      return receiptOf(transaction, row, { started: ids, delivered, activeId: made.activeId });
    });
    workflowsToDo(platform.database);
    for (const one of started) one.started();
    return receipt;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new Problem(
      'conflict',
      `A message ${message_id ?? ''} of this name and correlation key was published already and has not expired.`,
    );
  }
}

/** Inserts a message. Its id can be used again once an earlier message with it has expired. */
async function insertMessage({ now }: Platform, transaction: Queries, row: WorkflowMessageRow): Promise<void> {
  if (row.message_id !== null)
    await transaction
      .deleteFrom('workflow_messages')
      .where('service_id', '=', row.service_id)
      .where('name', '=', row.name)
      .where('correlation_key', '=', row.correlation_key)
      .where('message_id', '=', row.message_id)
      .where('expires_at', '<=', now())
      .execute();
  await transaction.insertInto('workflow_messages').values(row).execute();
}

/** Throws conflict when too many messages of the subscription wait. */
async function requireMessageLimit(transaction: Queries, { subscription_id }: WorkflowMessageRow): Promise<void> {
  const waiting = await transaction
    .selectFrom('workflow_messages')
    .select('id')
    .where('subscription_id', '=', subscription_id)
    .where('correlated_at', 'is', null)
    .limit(MOST_WAITING)
    .execute();
  if (waiting.length === MOST_WAITING)
    throw new Problem(
      'conflict',
      `${MOST_WAITING} messages of this subscription wait already, and no instance receives them.`,
    );
}

/** Starts an instance for each start event of the name, unless an instance with the same start key is active. */
export async function startByMessage(
  platform: Platform,
  workflows: Workflows,
  transaction: Queries,
  origin: Origin,
  row: WorkflowMessageRow,
  { name, variables = {} }: Pick<WorkflowMessageRequest, 'name' | 'variables'>,
): Promise<Made> {
  const version = await findWorkflowVersion(transaction, origin.serviceVersionId);
  const starts = (version && requirementsIn(version)?.messageStarts) ?? [];
  const started: Started[] = [];
  let activeId: string | null = null;
  for (const { elementId, messageName } of starts) {
    if (messageName !== name) continue;
    const startKey = startKeyOf(row, elementId);
    const active = startKey === null ? null : await activeWith(transaction, startKey);
    activeId ??= active;
    if (active !== null) continue;
    const event = { elementId, variables: variables as Variables, depth: row.depth };
    const one = await startByEvent(platform, workflows, transaction, origin, event);
    if (startKey !== null) await takeStartKey(transaction, startKey, one.id);
    started.push(one);
  }
  return { started, activeId };
}
