import { parseExact } from '@kethub/workflow';
import { sql } from 'kysely';
import type { Workflows } from '../executions/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { newestPublished } from '../../catalog/services/index.ts';
import { isOutage, type Queries, type WorkflowMessageRow } from '../../foundation/storage/index.ts';
import { DEPTH, type RoundRobin } from './advance/index.ts';
import { LeakyBucket } from './leaky-bucket.ts';
import type { Pause } from './loop.ts';
import { correlate, type Postponed } from './messages.ts';
import { startByMessage, type Made } from './publish.ts';
import { originOfOwner } from './start-by-event.ts';

/** Messages of one owner per round. */
const AT_ONCE = 20;
/**
 * Messages of one owner per second, and burst size. Beyond it they wait, which slows down two workflows that answer
 * each other without end.
 */
const PER_SECOND = 50;
const BURST = 500;
/** Milliseconds before the messages of an owner above the rate are looked at again. */
const LATER_MS = 100;
/** Milliseconds before a message that could not be published is tried again. */
const AGAIN_MS = 60_000;
/** Milliseconds for which a message is retried after it was thrown, even if it expires before. */
const TRIED_MS = 3_600_000;
/**
 * Thrown messages of one service that may wait for an instance. Further ones that no instance waits for are dropped.
 */
const MOST_WAITING = 1_000;

/** The rate at which this process publishes the messages of each owner. */
export function rateOfThrown(now?: () => number): LeakyBucket {
  return new LeakyBucket(PER_SECOND, BURST, now);
}

/** Context of publishing, beside the platform. */
interface Publishing {
  readonly workflows: Workflows;
  readonly roundRobin: RoundRobin;
  readonly rate: LeakyBucket;
  readonly postponed: Postponed;
}

/**
 * Publishes the messages that instances have thrown, as the owner of the workflow would. A message starts instances, is
 * correlated with waiting ones, or waits.
 *
 * Owners take turns. The transaction that publishes a message also clears its owner, so each is published once,
 * whichever process dies.
 */
export async function publishThrown(platform: Platform, publishing: Publishing, notify: () => void): Promise<Pause> {
  const { roundRobin, rate, postponed } = publishing;
  const { read } = platform.database;
  let published = 0;
  let isSlowed = false;
  for (const owner of await roundRobin.next(read, 'workflow_messages')) {
    if (!rate.allows(owner)) {
      isSlowed = true;
      continue;
    }
    for (const message of await thrownBy(read, owner, postponed.ids)) {
      rate.spend(owner, 1);
      if (await tryToPublish(platform, publishing, message, notify)) published += 1;
    }
  }
  return published > 0 ? 0 : isSlowed ? LATER_MS : null;
}

async function thrownBy(queries: Queries, owner: string, without: readonly string[]): Promise<WorkflowMessageRow[]> {
  const rows = await queries
    .selectFrom('workflow_messages')
    .selectAll()
    .where('owner', '=', owner)
    .$if(without.length > 0, (query) => query.where('id', 'not in', without))
    .orderBy('id')
    .limit(AT_ONCE)
    .execute();
  return rows;
}

async function tryToPublish(
  platform: Platform,
  publishing: Publishing,
  message: WorkflowMessageRow,
  notify: () => void,
): Promise<boolean> {
  const { database, log, now, telemetry } = platform;
  const publish = (mayStart: boolean) =>
    database.write((transaction) => publishOne(platform, publishing, transaction, message, mayStart));
  try {
    const made = await publish(true).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      // Waiting instances receive it all the same.
      log.warn({ message: message.id, err: error }, 'a message that a workflow throws could not start another');
      return publish(false);
    });
    if (made === null) return false;
    for (const one of made.started) one.started();
    notify();
    return true;
  } catch (error) {
    if (isOutage(error)) throw error;
    log.warn({ message: message.id, err: error }, 'a message that a workflow throws could not be published');
    telemetry.metrics?.workflowRetried('message');
    publishing.postponed.add(message.id, AGAIN_MS);
    if (now() > Math.max(message.expires_at, message.created_at + TRIED_MS))
      await database.write((transaction) => take(transaction, message));
    return false;
  }
}

const nothing: Made = { started: [], activeId: null };

/** Returns null when another process has published the message. */
async function publishOne(
  platform: Platform,
  { workflows }: Publishing,
  transaction: Queries,
  message: WorkflowMessageRow,
  mayStart: boolean,
): Promise<Made | null> {
  if (!(await take(transaction, message))) return null;
  const row = { ...message, owner: null };
  const made = mayStart ? await start(platform, workflows, transaction, row) : nothing;
  const delivered = await correlate(platform, transaction, row);
  const isKept = delivered > 0 || (await isBelowMessageLimit(transaction, row));
  if (isKept) return made;
  platform.log.warn(
    { service: row.service_id },
    `${MOST_WAITING} messages that workflows have thrown wait: one is dropped`,
  );
  await transaction.deleteFrom('workflow_messages').where('id', '=', row.id).execute();
  return made;
}

/** Clears the owner of the message; false when another process has published it. */
async function take(transaction: Queries, { id }: WorkflowMessageRow): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('workflow_messages')
    .set({ owner: null })
    .where('id', '=', id)
    .where('owner', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Starts instances by a message, as deep as processes may call one another. Messages of instances that an application
 * has started start nothing: only its own requests are authorized to.
 */
async function start(
  platform: Platform,
  workflows: Workflows,
  transaction: Queries,
  row: WorkflowMessageRow,
): Promise<Made> {
  if (row.subscription_id !== null) return nothing;
  const service = await transaction
    .selectFrom('services')
    .select(['id', 'owner_type', 'owner_id'])
    .where('id', '=', row.service_id)
    .executeTakeFirst();
  const [newest] = service ? await newestPublished(transaction, [service.id], platform.now()) : [];
  if (!service || !newest) return nothing;
  if (row.depth > DEPTH) {
    platform.log.warn({ service: service.id }, `workflows start one another by messages more than ${DEPTH} deep`);
    return nothing;
  }
  const owner = { type: service.owner_type, id: service.owner_id };
  const origin = originOfOwner(platform, owner, null, service.id, newest.id);
  const variables = parseExact(row.variables) as Record<string, unknown>;
  return startByMessage(platform, workflows, transaction, origin, row, { name: row.name, variables });
}

async function isBelowMessageLimit(transaction: Queries, { service_id }: WorkflowMessageRow): Promise<boolean> {
  const waiting = await transaction
    .selectFrom('workflow_messages')
    .select('id')
    .where('service_id', '=', service_id)
    .where(sql<boolean>`depth > 0`)
    .where('owner', 'is', null)
    .limit(MOST_WAITING + 1)
    .execute();
  return waiting.length <= MOST_WAITING;
}
