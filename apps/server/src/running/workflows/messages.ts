import { textOnly } from '@kethub/workflow';
import { sql } from 'kysely';
import type { Platform } from '../../foundation/platform.ts';
import {
  isAmong,
  isOutage,
  type Queries,
  type WorkflowMessageRow,
  type WorkflowSubscriptionRow,
} from '../../foundation/storage/index.ts';
import { eventRow, insertEvents } from './advance/index.ts';
import type { Pause } from './loop.ts';

const AT_ONCE = 100;

/** Milliseconds before a message that could not be correlated is tried again. */
const AGAIN_MS = 60_000;
const MOST_POSTPONED = 1_000;

/** Messages that could not be correlated, and the time of their next try. Those behind them do not wait. */
export class Postponed {
  readonly #until = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Has an id wait for this long. */
  add(id: string, milliseconds: number): void {
    this.#until.delete(id);
    this.#until.set(id, this.#now() + milliseconds);
    const [oldest] = this.#until.keys();
    if (this.#until.size > MOST_POSTPONED && oldest !== undefined) this.#until.delete(oldest);
  }

  /** The ids that must still wait. */
  get ids(): string[] {
    const now = this.#now();
    for (const [id, until] of this.#until) if (until <= now) this.#until.delete(id);
    return [...this.#until.keys()];
  }
}

/** Correlates messages with waiting instances, and deletes messages that have expired. */
export async function correlateMessages(platform: Platform, postponed: Postponed, notify: () => void): Promise<Pause> {
  const { database, now, log } = platform;
  const waiting = await database.read.selectFrom('workflow_messages').select('id').limit(1).executeTakeFirst();
  if (!waiting) return null;
  const matches = await matching(database.read, now(), postponed.ids);
  let correlated = 0;
  let failed = 0;
  for (const message of matches) {
    try {
      if ((await database.write((transaction) => correlate(platform, transaction, message))) > 0) correlated++;
    } catch (error) {
      if (isOutage(error)) throw error;
      // Other messages do not wait for it. It expires at some point.
      log.warn({ message: message.id, err: error }, 'a message could not be brought to a workflow: it is tried again');
      platform.telemetry.metrics?.workflowRetried('message');
      failed++;
      postponed.add(message.id, AGAIN_MS);
    }
  }
  if (correlated > 0) notify();
  await database.write((transaction) =>
    transaction.deleteFrom('workflow_messages').where('expires_at', '<=', now()).where('owner', 'is', null).execute(),
  );
  return matches.length === AT_ONCE && (correlated > 0 || failed > 0) ? 0 : null;
}

/** Messages that an instance waits for, oldest first. */
async function matching(queries: Queries, now: number, without: readonly string[]): Promise<WorkflowMessageRow[]> {
  return queries
    .selectFrom('workflow_messages as message')
    .selectAll('message')
    .where('expires_at', '>', now)
    .where('correlated_at', 'is', null)
    .where('message.owner', 'is', null)
    .where(without.length === 0 ? sql<boolean>`true` : sql<boolean>`not ${isAmong(queries, 'message.id', without)}`)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('workflow_subscriptions as wanted')
          .innerJoin('workflow_instances as instance', 'instance.id', 'wanted.instance_id')
          .innerJoin('executions', 'executions.id', 'instance.execution_id')
          .select('wanted.instance_id')
          .whereRef('wanted.service_id', '=', 'message.service_id')
          .whereRef('wanted.message_name', '=', 'message.name')
          .whereRef('wanted.correlation_key', '=', 'message.correlation_key')
          .where(({ or, eb, ref }) =>
            or([
              eb('message.subscription_id', 'is', null),
              eb('executions.subscription_id', '=', ref('message.subscription_id')),
            ]),
          ),
      ),
    )
    .orderBy('message.id')
    .limit(AT_ONCE)
    .execute();
}

/**
 * Correlates a message with one waiting instance of each process. An instance with a message event that is still queued
 * is skipped. Returns the number of instances.
 */
export async function correlate(
  platform: Platform,
  transaction: Queries,
  message: WorkflowMessageRow,
): Promise<number> {
  let waiting = transaction
    .selectFrom('workflow_subscriptions as wanted')
    .innerJoin('workflow_instances as instance', 'instance.id', 'wanted.instance_id')
    .innerJoin('executions', 'executions.id', 'instance.execution_id')
    .select(['wanted.instance_id', 'wanted.subscription', 'instance.process_id'])
    .where('wanted.service_id', '=', message.service_id)
    .where('wanted.message_name', '=', message.name)
    .where('wanted.correlation_key', '=', message.correlation_key)
    .orderBy('wanted.instance_id')
    .limit(AT_ONCE);
  if (message.subscription_id !== null)
    waiting = waiting.where('executions.subscription_id', '=', message.subscription_id);
  const wanted = await waiting.execute();
  const chosen = new Map<string, (typeof wanted)[number]>();
  for (const one of wanted) {
    const process = one.process_id ?? '';
    if (!chosen.has(process) && (await isFree(platform, transaction, one))) chosen.set(process, one);
  }
  if (chosen.size === 0 || !(await take(platform, transaction, message))) return 0;
  const variables = textOnly(message.variables);
  const events = [...chosen.values()].map(({ instance_id, subscription }) =>
    eventRow(
      platform,
      instance_id,
      { type: 'messageCorrelated', subscription, variables },
      `message:${message.id}:${instance_id}`,
    ),
  );
  await insertEvents(transaction, events);
  return chosen.size;
}

/**
 * Takes the message; false when another process has. A message with an id stays, without its variables, until it
 * expires: its id cannot be used again before.
 */
async function take({ now }: Platform, transaction: Queries, { id, message_id }: WorkflowMessageRow): Promise<boolean> {
  if (message_id === null) {
    const { numDeletedRows } = await transaction
      .deleteFrom('workflow_messages')
      .where('id', '=', id)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }
  const { numUpdatedRows } = await transaction
    .updateTable('workflow_messages')
    .set({ correlated_at: now(), variables: '{}' })
    .where('id', '=', id)
    .where('correlated_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Returns whether no message event is queued for the instance. An interrupting event takes one message only, so the
 * next message waits for the step that takes the first.
 */
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
