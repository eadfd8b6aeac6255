import { limits, type WorkflowMessageRequest } from '@kethub/contract';
import type { Variables } from '@kethub/workflow';
import { sql } from 'kysely';
import type { Workflows } from '../executions/index.ts';
import { Problem, type Answer } from '../http/index.ts';
import type { Context, Platform } from '../platform.ts';
import { findWorkflowVersion, newestPublished, requirementsIn, requireService } from '../services/index.ts';
import { isDuplicate, type Queries, type WorkflowMessageRow, type WorkflowSubscriptionRow } from '../storage/index.ts';
import { eventRow, insertEvents } from './advance/index.ts';
import type { Pause } from './loop.ts';
import { startByEvent } from './start-by-event.ts';
import { workflowsToDo } from './wake.ts';

const AT_ONCE = 100;

/**
 * Publishes a message for instances of a workflow service: it starts one where a start event of the deployed version has
 * its name, and waits until its time is up for one that wants it. Throws not-found, conflict for an id that waits already.
 */
export async function publishMessage(
  platform: Platform,
  workflows: Workflows,
  context: Context,
  serviceId: string,
  request: WorkflowMessageRequest,
): Promise<Answer> {
  const row = messageRow(platform, serviceId, request);
  try {
    const started = await platform.database.write(async (transaction) => {
      const service = await requireService(transaction, context, serviceId);
      if (service.type !== 'WORKFLOW') throw new Problem('not-found', `The service ${service.name} is no workflow.`);
      await transaction.insertInto('workflow_messages').values(row).execute();
      return startByMessage(platform, workflows, transaction, context, row);
    });
    workflowsToDo(platform.database);
    for (const one of started) one.started();
    const { id, name, correlation_key: correlationKey } = row;
    return { status: 201, body: { id, name, correlationKey, started: started.map((one) => one.id) } };
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new Problem(
      'conflict',
      `A message ${request.messageId ?? ''} of this name and correlation key waits already.`,
    );
  }
}

function messageRow(
  { newId, now }: Platform,
  serviceId: string,
  { name, correlationKey = '', variables = {}, messageId, timeToLiveSeconds = 3600 }: WorkflowMessageRequest,
): WorkflowMessageRow {
  const text = JSON.stringify(variables);
  if (Buffer.byteLength(text) > limits.jsonBodyBytes) throw new Problem('too-large', 'The variables are too long.');
  if ([name, correlationKey, messageId ?? ''].some((one) => one.includes('\0')))
    throw new Problem('invalid-request', 'Names and keys must not hold the character U+0000.');
  return {
    id: newId(),
    service_id: serviceId,
    name,
    correlation_key: correlationKey,
    variables: text,
    message_id: messageId ?? null,
    created_at: now(),
    expires_at: now() + timeToLiveSeconds * 1000,
  };
}

async function startByMessage(
  platform: Platform,
  workflows: Workflows,
  transaction: Queries,
  context: Context,
  message: WorkflowMessageRow,
) {
  const [newest] = await newestPublished(transaction, [message.service_id], platform.now());
  const version = newest && (await findWorkflowVersion(transaction, newest.id));
  const starts = (version && requirementsIn(version)?.messageStarts) ?? [];
  const started = [];
  for (const { elementId, messageName } of starts) {
    if (messageName !== message.name || !newest) continue;
    const start = {
      owner: { type: context.type, id: context.id },
      personId: context.personId,
      serviceId: message.service_id,
      serviceVersionId: newest.id,
      startEvent: elementId,
      variables: JSON.parse(message.variables) as Variables,
    };
    started.push(await startByEvent(platform, workflows, transaction, start));
  }
  return started;
}

/** Brings messages to instances that wait for them, and forgets those whose time is up. */
export async function correlateMessages(platform: Platform, told: () => void): Promise<Pause> {
  const { database, now } = platform;
  const waiting = await database.read.selectFrom('workflow_messages').select('id').limit(1).executeTakeFirst();
  if (!waiting) return null;
  const matches = await matching(database.read, now());
  let correlated = 0;
  for (const message of matches) {
    if (await database.write((transaction) => correlate(platform, transaction, message))) correlated++;
  }
  if (correlated > 0) told();
  await database.write((transaction) =>
    transaction.deleteFrom('workflow_messages').where('expires_at', '<=', now()).execute(),
  );
  return correlated === AT_ONCE ? 0 : null;
}

/** Messages that some instance waits for, the oldest first. */
async function matching(queries: Queries, now: number): Promise<WorkflowMessageRow[]> {
  return queries
    .selectFrom('workflow_messages as message')
    .selectAll('message')
    .where('expires_at', '>', now)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('workflow_subscriptions as wanted')
          .select('wanted.instance_id')
          .whereRef('wanted.service_id', '=', 'message.service_id')
          .whereRef('wanted.message_name', '=', 'message.name')
          .whereRef('wanted.correlation_key', '=', 'message.correlation_key'),
      ),
    )
    .orderBy('message.id')
    .limit(AT_ONCE)
    .execute();
}

/** To one instance of each process that waits; none of them has another message that it does not know of yet. */
async function correlate(platform: Platform, transaction: Queries, message: WorkflowMessageRow): Promise<boolean> {
  const wanted = await transaction
    .selectFrom('workflow_subscriptions as wanted')
    .innerJoin('workflow_instances as instance', 'instance.id', 'wanted.instance_id')
    .select(['wanted.instance_id', 'wanted.subscription', 'instance.process_id'])
    .where('wanted.service_id', '=', message.service_id)
    .where('wanted.message_name', '=', message.name)
    .where('wanted.correlation_key', '=', message.correlation_key)
    .orderBy('wanted.instance_id')
    .limit(AT_ONCE)
    .execute();
  const chosen = new Map<string, (typeof wanted)[number]>();
  for (const one of wanted) {
    const process = one.process_id ?? '';
    if (!chosen.has(process) && (await isFree(platform, transaction, one))) chosen.set(process, one);
  }
  if (chosen.size === 0) return false;
  const { numDeletedRows } = await transaction
    .deleteFrom('workflow_messages')
    .where('id', '=', message.id)
    .executeTakeFirst();
  if (numDeletedRows !== 1n) return false;
  const variables = JSON.parse(message.variables) as Variables;
  const events = [...chosen.values()].map(({ instance_id, subscription }) =>
    eventRow(
      platform,
      instance_id,
      { type: 'messageCorrelated', subscription, variables },
      `message:${message.id}:${instance_id}`,
    ),
  );
  await insertEvents(transaction, events);
  return true;
}

/** An interrupting event takes one message only: the next waits until the instance has taken the one before into account. */
async function isFree(
  { database }: Platform,
  transaction: Queries,
  { instance_id }: Pick<WorkflowSubscriptionRow, 'instance_id'>,
): Promise<boolean> {
  const instance = transaction.selectFrom('workflow_instances').select('id').where('id', '=', instance_id);
  await (database.dialect === 'postgres' ? instance.forUpdate() : instance).execute();
  const pending = await transaction
    .selectFrom('workflow_events')
    .select('id')
    .where('instance_id', '=', instance_id)
    .where(sql<boolean>`dedupe_key like 'message:%'`)
    .limit(1)
    .executeTakeFirst();
  return pending === undefined;
}
