import { sql } from 'kysely';
import type { Platform } from '../../../foundation/platform.ts';
import {
  insertMany,
  isAmong,
  recordsOf,
  type Queries,
  type Returned,
  type StatementBatch,
  type WorkflowJobRow,
  hasLargeText,
  large,
} from '../../../foundation/storage/index.ts';
import { journalColumns, journalRows } from '../journal.ts';
import type { Effects, Numbered, ThrownMessage } from './effects.ts';
import { eventRow, insertEvents } from './events.ts';
import type { Advanced } from './reduce.ts';
import { storeIncidents } from './incidents.ts';
import { isOneOf, numbered, removeNumbered } from './numbered-rows.ts';
import { insertSignalSubscriptions, insertThrownSignals } from './signals.ts';

/**
 * Adds the advanced instances to a statement batch. Returns the instances that nobody else has advanced meanwhile; they
 * must be all of {@link changed}.
 */
export function addAdvanced(
  platform: Platform,
  statements: StatementBatch,
  transaction: Queries,
  advanced: readonly Advanced[],
  effects: Effects,
): Returned<{ id: string }> {
  const events = advanced.flatMap((one) => one.events);
  if (events.length > 0) statements.add(sql`delete from workflow_events where ${isAmong(transaction, 'id', events)}`);
  const updated = addUpdate(platform, statements, transaction, advanced);
  addParts(statements, transaction, advanced);
  statements.insert('workflow_journal', journalColumns, journalOf(advanced));
  statements.insert('workflow_jobs', jobColumns, effects.jobs);
  statements.insert('workflow_timers', timerColumns, effects.timers);
  return updated;
}

export function changed(advanced: readonly Advanced[]): readonly Advanced[] {
  return advanced.filter(({ next }) => next !== null);
}

/** Writes the less frequent effects. */
export async function storeOtherEffects(
  platform: Platform,
  transaction: Queries,
  advanced: readonly Advanced[],
  effects: Effects,
): Promise<void> {
  await cancelJobs(transaction, effects.jobsToCancel);
  await storeIncidents(platform, transaction, advanced);
  await removeNumbered(transaction, 'workflow_timers', 'timer', effects.timersToRemove);
  await insertSubscriptions(transaction, advanced, effects);
  await removeNumbered(transaction, 'workflow_subscriptions', 'subscription', effects.subscriptionsToRemove);
  await insertSignalSubscriptions(transaction, effects.signalSubscriptions);
  await removeNumbered(
    transaction,
    'workflow_signal_subscriptions',
    'subscription',
    effects.signalSubscriptionsToRemove,
  );
  await insertMany(transaction, 'workflow_instances', instanceColumns, effects.children);
  await insertMessages(transaction, effects.messages);
  await insertThrownSignals(transaction, effects.signals);
  await insertEvents(transaction, [
    ...effects.events,
    ...(await cancellationsOf(platform, transaction, effects.childrenToCancel)),
  ]);
}

/** Somebody else has advanced an instance meanwhile. The batch is rolled back and tried again. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
}

export const timerColumns = ['instance_id', 'timer', 'element_id', 'due', 'attempts'] as const;
export const jobColumns = [
  'id',
  'instance_id',
  'owner',
  'job',
  'element_id',
  'state',
  'service',
  'input',
  'due',
  'attempts',
  'locked_until',
] as const;
const instanceColumns = [
  'id',
  'execution_id',
  'owner',
  'parent_id',
  'parent_child',
  'service_version_id',
  'process_id',
  'depth',
  'phase',
  'revision',
  'incidents',
  'child_incidents',
  'bytes',
  'created_at',
] as const;

const messageColumns = [
  'id',
  'service_id',
  'subscription_id',
  'name',
  'correlation_key',
  'variables',
  'created_at',
  'expires_at',
  'owner',
  'depth',
] as const;

function journalOf(advanced: readonly Advanced[]) {
  return advanced.flatMap(({ row, next }) => journalRows(row.id, next?.journal ?? []));
}

function addUpdate(
  { now }: Platform,
  statements: StatementBatch,
  transaction: Queries,
  advanced: readonly Advanced[],
): Returned<{ id: string }> {
  const rows = advanced.flatMap(({ row, next }) => {
    if (!next) return [];
    const { phase, incidents, childIncidents: child_incidents } = next;
    const { state, bytes } = next.toStore;
    const ended_at = phase === 'RUNNING' ? null : now();
    return [{ id: row.id, revision: row.revision, phase, incidents, child_incidents, state, bytes, ended_at }];
  });
  const short = rows.filter((row) => !hasLargeText(row));
  const returned = rows
    .filter(hasLargeText)
    .map(({ id, revision, phase, incidents, child_incidents, state, bytes, ended_at }) =>
      statements.rows(
        large(sql<{
          id: string;
        }>`update workflow_instances set phase = ${phase}, incidents = ${incidents},
          child_incidents = ${child_incidents}, state = ${state}, bytes = ${bytes}, ended_at = ${ended_at}, revision = revision + 1
          where id = ${id} and revision = ${revision} returning id`),
      ),
    );
  if (short.length > 0) returned.push(addUpdateOfMany(statements, transaction, short));
  return {
    get rows() {
      return returned.flatMap((one) => one.rows);
    },
  };
}

function addUpdateOfMany(
  statements: StatementBatch,
  transaction: Queries,
  rows: readonly object[],
): Returned<{ id: string }> {
  const columns = sql`phase = fresh.phase, incidents = fresh.incidents, child_incidents = fresh.child_incidents,
    state = fresh.state, bytes = fresh.bytes, ended_at = fresh.ended_at, revision = fresh.revision + 1`;
  return statements.rows(sql<{ id: string }>`update workflow_instances set ${columns} from ${recordsOf(
    transaction,
    rows,
    {
      id: 'text',
      revision: 'bigint',
      phase: 'text',
      incidents: 'bigint',
      child_incidents: 'bigint',
      state: 'text',
      bytes: 'bigint',
      ended_at: 'bigint',
    },
  )} as fresh
    where workflow_instances.id = fresh.id and workflow_instances.revision = fresh.revision
    returning workflow_instances.id`);
}

/** Adds the changed parts of states that are stored in parts. */
function addParts(statements: StatementBatch, transaction: Queries, advanced: readonly Advanced[]): void {
  const without: string[] = [];
  const changes: { instance_id: string; part: string; text: string | null }[] = [];
  for (const { row, next } of advanced) {
    if (!next) continue;
    const { parts } = next.toStore;
    if (parts === 'NONE') without.push(row.id);
    else for (const [part, text] of parts) changes.push({ instance_id: row.id, part, text });
  }
  const written = changes.filter(({ text }) => text !== null);
  const gone = changes.filter(({ text }) => text === null);
  const among = { instance_id: 'text', part: 'text' } as const;
  if (without.length > 0)
    statements.add(sql`delete from workflow_state_parts where ${isAmong(transaction, 'instance_id', without)}`);
  if (gone.length > 0)
    statements.add(sql`delete from workflow_state_parts where (instance_id, part) in
      (select instance_id, part from ${recordsOf(transaction, gone, among)} as gone)`);
  const [long, short] = [true, false].map((is) => written.filter((one) => hasLargeText(one) === is));
  const put = sql`insert into workflow_state_parts (instance_id, part, text)`;
  const replaces = sql`on conflict (instance_id, part) do update set text = excluded.text`;
  if (short && short.length > 0)
    statements.add(sql`${put}
      select instance_id, part, text from ${recordsOf(transaction, short, { ...among, text: 'text' })} as fresh where true
      ${replaces}`);
  for (const { instance_id, part, text } of long ?? [])
    statements.add(large(sql`${put} values (${instance_id}, ${part}, ${text}) ${replaces}`));
}

/**
 * Deletes jobs that are not started or have ended, and marks the others as cancelled. In this order: one may be started
 * just now.
 */
async function cancelJobs(transaction: Queries, jobs: readonly Numbered[]): Promise<void> {
  if (jobs.length === 0) return;
  const among = isOneOf(transaction, 'job', jobs);
  await sql`delete from workflow_jobs where ${among} and state in ('OPEN', 'ENDED')`.execute(transaction);
  await sql`update workflow_jobs set state = ${cancelled}, due = 0, locked_until = 0
    where ${among} and state in ('STARTED', 'REMOTE', 'CALLING')`.execute(transaction);
}

/** The state of a cancelled job. A start on its way has no id to cancel yet. */
export const cancelled = sql<WorkflowJobRow['state']>`case state when 'CALLING' then 'WITHDRAWN' else 'CANCELLING' end`;

/** Inserts message subscriptions by service: a message reaches all versions of a service. */
async function insertSubscriptions(
  transaction: Queries,
  advanced: readonly Advanced[],
  { subscriptions }: Effects,
): Promise<void> {
  if (subscriptions.length === 0) return;
  const versionOf = new Map(advanced.map(({ row }) => [row.id, row.service_version_id]));
  const versions = await transaction
    .selectFrom('service_versions')
    .select(['id', 'service_id'])
    .where(isAmong(transaction, 'id', [...new Set(versionOf.values())]))
    .execute();
  const serviceOf = new Map(versions.map(({ id, service_id }) => [id, service_id]));
  const rows = subscriptions.map((one) => ({
    ...one,
    service_id: serviceOf.get(versionOf.get(one.instance_id) ?? '') ?? '',
  }));
  await insertMany(
    transaction,
    'workflow_subscriptions',
    ['instance_id', 'subscription', 'element_id', 'service_id', 'message_name', 'correlation_key'],
    rows,
  );
}

/**
 * Stores the messages of instances, in the transaction of the step that throws them: each is published once. A message
 * reaches the service of the instance, and what the same subscription has started.
 */
async function insertMessages(transaction: Queries, messages: readonly ThrownMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const senders = await transaction
    .selectFrom('workflow_instances as instance')
    .innerJoin('service_versions as version', 'version.id', 'instance.service_version_id')
    .innerJoin('executions', 'executions.id', 'instance.execution_id')
    .select(['instance.id', 'version.service_id', 'executions.subscription_id'])
    .where(isAmong(transaction, 'instance.id', [...new Set(messages.map(({ instance_id }) => instance_id))]))
    .execute();
  const senderOf = new Map(senders.map(({ id, ...sender }) => [id, sender]));
  const rows = messages.flatMap(({ instance_id, ...message }) => {
    const sender = senderOf.get(instance_id);
    return sender === undefined ? [] : [{ ...message, ...sender }];
  });
  await insertMany(transaction, 'workflow_messages', messageColumns, rows);
}

async function cancellationsOf(platform: Platform, transaction: Queries, children: readonly Numbered[]) {
  if (children.length === 0) return [];
  const { rows } = await sql<{ id: string }>`select id from workflow_instances
    where (parent_id, parent_child) in
      (select instance_id, number from ${recordsOf(transaction, children, numbered)} as one)`.execute(transaction);
  return rows.map(({ id }) => eventRow(platform, id, { type: 'cancel' }));
}
