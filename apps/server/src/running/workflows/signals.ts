import { parseExact, textOnly, type Variables } from '@kethub/workflow';
import type { Workflows } from '../executions/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { isOutage, type Queries, type WorkflowSignalRow } from '../../foundation/storage/index.ts';
import { DEPTH, eventRow, insertEvents, nextReached, nextReceivers, type RoundRobin } from './advance/index.ts';
import type { LeakyBucket } from './leaky-bucket.ts';
import type { Pause } from './loop.ts';
import type { Postponed } from './messages.ts';
import { originOfOwner, startByEvent } from './start-by-event.ts';

/** Number of instances that receive a signal in one transaction. */
const AT_ONCE = 100;
/** Number of transactions for one owner per round. */
const STEPS = 5;
/** Milliseconds before the signals of an owner above the rate are looked at again. */
const LATER_MS = 100;
/** Milliseconds before a signal that could not be delivered is tried again. */
const AGAIN_MS = 60_000;
/** Milliseconds for which a signal is retried after it was broadcast. Then it is given up. */
const TRIED_MS = 3_600_000;

/** Context of broadcasting, beside the platform. */
interface Broadcasting {
  readonly workflows: Workflows;
  readonly roundRobin: RoundRobin;
  readonly rate: LeakyBucket;
  readonly postponed: Postponed;
}

/**
 * Delivers signals. Owners take turns; the oldest signal of an owner is first.
 *
 * One transaction delivers a signal to some instances of one service, or triggers the start events of that service and
 * goes on to the next. It also stores how far the signal is, so each instance receives it once, whichever process dies.
 */
export async function broadcastSignals(
  platform: Platform,
  broadcasting: Broadcasting,
  notify: () => void,
): Promise<Pause> {
  const { roundRobin, rate, postponed } = broadcasting;
  const { read } = platform.database;
  let steps = 0;
  let isSlowed = false;
  for (const owner of await roundRobin.next(read, 'workflow_signals')) {
    for (let own = 0; own < STEPS; own++) {
      if (!rate.allows(owner)) {
        isSlowed = true;
        break;
      }
      const id = await oldest(read, owner, postponed.ids);
      if (id === null) break;
      rate.spend(owner, 1);
      if (await tryToDeliver(platform, broadcasting, id, notify)) steps += 1;
    }
  }
  return steps > 0 ? 0 : isSlowed ? LATER_MS : null;
}

async function oldest(queries: Queries, owner: string, without: readonly string[]): Promise<string | null> {
  const row = await queries
    .selectFrom('workflow_signals')
    .select('id')
    .where('owner', '=', owner)
    .$if(without.length > 0, (query) => query.where('id', 'not in', without))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

async function tryToDeliver(
  platform: Platform,
  { workflows, postponed }: Broadcasting,
  id: string,
  notify: () => void,
): Promise<boolean> {
  const { database, log, now, telemetry } = platform;
  const deliver = (mayStart: boolean) =>
    database.write((transaction) => deliverSome(platform, workflows, transaction, id, mayStart));
  try {
    const started = await deliver(true).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      // Waiting instances receive it all the same.
      log.warn({ signal: id, err: error }, 'a signal could not start a workflow');
      return deliver(false);
    });
    if (started === null) return false;
    for (const one of started) one.started();
    notify();
    return true;
  } catch (error) {
    if (isOutage(error)) throw error;
    log.warn({ signal: id, err: error }, 'a signal could not be delivered: it is tried again');
    telemetry.metrics?.workflowRetried('signal');
    postponed.add(id, AGAIN_MS);
    await database.write((transaction) =>
      transaction
        .deleteFrom('workflow_signals')
        .where('id', '=', id)
        .where('created_at', '<', now() - TRIED_MS)
        .execute(),
    );
    return false;
  }
}

type Started = Awaited<ReturnType<typeof startByEvent>>;

/** Takes a signal one step further. Returns null when another process does, or has delivered it. */
async function deliverSome(
  platform: Platform,
  workflows: Workflows,
  transaction: Queries,
  id: string,
  mayStart: boolean,
): Promise<readonly Started[] | null> {
  const query = transaction.selectFrom('workflow_signals').selectAll().where('id', '=', id);
  const isPostgres = platform.database.dialect === 'postgres';
  const signal = await (isPostgres ? query.forUpdate().skipLocked() : query).executeTakeFirst();
  if (!signal) return null;
  const receivers = await nextReceivers(transaction, signal, AT_ONCE);
  const variables = textOnly(signal.variables);
  const events = receivers.map(({ instance_id, subscription }) =>
    eventRow(platform, instance_id, { type: 'signalReceived', subscription, variables }),
  );
  await insertEvents(transaction, events);
  const last = receivers.at(-1);
  if (last && receivers.length === AT_ONCE) {
    await update(transaction, id, { position: last.position });
    return [];
  }
  const started = mayStart ? await startIn(platform, workflows, transaction, signal) : [];
  const next = signal.runs_for === null ? await nextReached(transaction, signal, signal.service_id) : null;
  if (next === null) await transaction.deleteFrom('workflow_signals').where('id', '=', id).execute();
  else await update(transaction, id, { service_id: next, position: 0 });
  return started;
}

function update(transaction: Queries, id: string, values: Partial<WorkflowSignalRow>) {
  return transaction.updateTable('workflow_signals').set(values).where('id', '=', id).execute();
}

/** Starts instances by the signal start events of the service at which a signal is, for the owner of the service. */
async function startIn(
  platform: Platform,
  workflows: Workflows,
  transaction: Queries,
  { runs_for, service_id, person_id, name, variables, depth }: WorkflowSignalRow,
): Promise<readonly Started[]> {
  if (runs_for !== null) return [];
  const starts = await transaction
    .selectFrom('workflow_signal_starts as start')
    .innerJoin('service_versions as version', 'version.id', 'start.service_version_id')
    .innerJoin('services as service', 'service.id', 'start.service_id')
    .select(['start.element_id', 'version.id as version_id', 'version.sunset_at', 'owner_type', 'owner_id'])
    .where('start.service_id', '=', service_id)
    .where('signal_name', '=', name)
    .orderBy('start.element_id')
    .execute();
  const current = starts.filter(({ sunset_at }) => sunset_at === null || sunset_at > platform.now());
  if (current.length > 0 && depth > DEPTH) {
    platform.log.warn({ service: service_id }, `workflows start one another by signals more than ${DEPTH} deep`);
    return [];
  }
  const started: Started[] = [];
  for (const { element_id, version_id, owner_type, owner_id } of current) {
    const owner = { type: owner_type, id: owner_id };
    const origin = originOfOwner(platform, owner, person_id, service_id, version_id);
    const event = { elementId: element_id, variables: parseExact(variables) as Variables, depth };
    started.push(await startByEvent(platform, workflows, transaction, origin, event));
  }
  return started;
}
