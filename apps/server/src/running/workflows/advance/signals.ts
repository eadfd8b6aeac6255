import { sql } from 'kysely';
import {
  insertMany,
  isAmong,
  type Queries,
  type WorkflowSignalRow,
  type WorkflowSignalSubscriptionRow,
} from '../../../foundation/storage/index.ts';
import type { NewSignalSubscription, ThrownSignal } from './effects.ts';

// A signal reaches the subscriptions that exist when it is broadcast. The database numbers subscriptions in ascending
// order (`position`), so the highest number at that moment separates them from those that come later. Delivery goes
// service by service (running/workflows/signals.ts). A signal that reaches nothing is not stored.

/** The audience of a signal. */
type Audience = Pick<WorkflowSignalRow, 'owner' | 'runs_for' | 'name' | 'last_position'>;

/** A signal before it is known whether it reaches anything. */
export type NewSignal = Omit<WorkflowSignalRow, 'service_id' | 'position' | 'last_position'>;

/**
 * The audience to which an instance belongs: a signal of an application reaches only instances that its subscription
 * has started.
 */
export const runsFor = (owner: string, subscriptionId: string | null): string =>
  subscriptionId === null ? owner : `${owner} ${subscriptionId}`;

interface Sender {
  readonly service_id: string;
  readonly runs_for: string;
  /** True if the instance runs for the owner of its service and was not started by an application. */
  readonly isOwn: boolean;
}

async function sendersOf(
  queries: Queries,
  rows: readonly { readonly instance_id: string }[],
): Promise<ReadonlyMap<string, Sender>> {
  const found = await queries
    .selectFrom('workflow_instances as instance')
    .innerJoin('service_versions as version', 'version.id', 'instance.service_version_id')
    .innerJoin('services as service', 'service.id', 'version.service_id')
    .innerJoin('executions', 'executions.id', 'instance.execution_id')
    .select(['instance.id', 'instance.owner', 'version.service_id', 'executions.subscription_id'])
    .select(['service.owner_type', 'service.owner_id'])
    .where(isAmong(queries, 'instance.id', [...new Set(rows.map(({ instance_id }) => instance_id))]))
    .execute();
  return new Map(
    found.map(({ id, owner, service_id, subscription_id, owner_type, owner_id }) => [
      id,
      {
        service_id,
        runs_for: runsFor(owner, subscription_id),
        isOwn: subscription_id === null && owner === `${owner_type} ${owner_id}`,
      },
    ]),
  );
}

const subscriptionColumns = [
  'instance_id',
  'subscription',
  'element_id',
  'service_id',
  'signal_name',
  'runs_for',
] as const satisfies (keyof WorkflowSignalSubscriptionRow)[];

export async function insertSignalSubscriptions(
  transaction: Queries,
  subscriptions: readonly NewSignalSubscription[],
): Promise<void> {
  if (subscriptions.length === 0) return;
  const senders = await sendersOf(transaction, subscriptions);
  const rows = subscriptions.flatMap((one) => {
    const sender = senders.get(one.instance_id);
    return sender ? [{ ...one, service_id: sender.service_id, runs_for: sender.runs_for }] : [];
  });
  await insertMany(transaction, 'workflow_signal_subscriptions', subscriptionColumns, rows);
}

const signalColumns = [
  'id',
  'owner',
  'runs_for',
  'person_id',
  'name',
  'variables',
  'instance_id',
  'signal',
  'depth',
  'last_position',
  'service_id',
  'position',
  'created_at',
] as const satisfies (keyof WorkflowSignalRow)[];

/**
 * Stores the signals of instances, in the transaction that knows that they were thrown: each is broadcast once. An
 * instance that runs for the owner of its service reaches all services of the owner. Any other reaches only instances
 * of the same service that run for the same owner and subscription.
 */
export async function insertThrownSignals(transaction: Queries, signals: readonly ThrownSignal[]): Promise<void> {
  if (signals.length === 0) return;
  const senders = await sendersOf(transaction, signals);
  const last_position = await lastPositionIn(transaction);
  // Signals of one step mostly have the same name.
  const known = new Map<string, string | null>();
  const rows: WorkflowSignalRow[] = [];
  for (const signal of signals) {
    const sender = senders.get(signal.instance_id);
    if (sender === undefined) continue;
    const runs_for = sender.isOwn ? null : sender.runs_for;
    const key = JSON.stringify([runs_for ?? signal.owner, runs_for && sender.service_id, signal.name]);
    const audience = { owner: signal.owner, runs_for, name: signal.name, last_position };
    if (!known.has(key)) known.set(key, await firstReached(transaction, audience, sender.service_id));
    const service_id = known.get(key) ?? null;
    if (service_id !== null)
      rows.push({ ...signal, person_id: null, runs_for, last_position, service_id, position: 0 });
  }
  await insertMany(transaction, 'workflow_signals', signalColumns, rows);
}

/** Stores a signal, unless it reaches nothing; returns how many subscriptions it reaches, counted up to `most`. */
export async function insertSignal(
  transaction: Queries,
  signal: NewSignal,
  serviceId: string | null,
  most: number,
): Promise<number> {
  const row = { ...signal, last_position: await lastPositionIn(transaction) };
  const service_id = await firstReached(transaction, row, serviceId);
  if (service_id === null) return 0;
  const fresh = { ...row, service_id, position: 0 };
  await transaction.insertInto('workflow_signals').values(fresh).execute();
  return countWaiting(transaction, fresh, most);
}

async function lastPositionIn(queries: Queries): Promise<number> {
  const row = await queries
    .selectFrom('workflow_signal_subscriptions')
    .select('position')
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.position ?? 0;
}

/**
 * The first service in which a signal reaches or starts something. `serviceId`: the only one of a signal with
 * `runs_for`.
 */
function firstReached(queries: Queries, audience: Audience, serviceId: string | null): Promise<string | null> {
  return audience.runs_for === null
    ? nextReached(queries, audience, '')
    : onlyReached(queries, audience, audience.runs_for, serviceId ?? '');
}

async function onlyReached(queries: Queries, { name, last_position }: Audience, runsFor: string, serviceId: string) {
  const row = await queries
    .selectFrom('workflow_signal_subscriptions')
    .select('service_id')
    .where('service_id', '=', serviceId)
    .where('signal_name', '=', name)
    .where('runs_for', '=', runsFor)
    .where('position', '<=', last_position)
    .limit(1)
    .executeTakeFirst();
  return row?.service_id ?? null;
}

/** The first service of the owner behind `after` in which a signal reaches or starts something. */
export async function nextReached(
  queries: Queries,
  { owner, name, last_position }: Audience,
  after: string,
): Promise<string | null> {
  const [type, id] = owner.split(' ');
  const { rows } = await sql<{ id: string }>`select id from services as service
    where owner_type = ${type} and owner_id = ${id} and type = 'WORKFLOW' and id > ${after}
      and (exists (select 1 from workflow_signal_subscriptions as waiting where waiting.service_id = service.id
          and waiting.signal_name = ${name} and waiting.position <= ${last_position})
        or exists (select 1 from workflow_signal_starts as start where start.service_id = service.id
          and start.signal_name = ${name}))
    order by id limit 1`.execute(queries);
  return rows[0]?.id ?? null;
}

async function countWaiting(queries: Queries, { owner, runs_for, name, service_id }: WorkflowSignalRow, most: number) {
  const [type, id] = owner.split(' ');
  const services =
    runs_for === null
      ? sql`(select id from services where owner_type = ${type} and owner_id = ${id} and type = 'WORKFLOW')`
      : sql`(${service_id})`;
  const isFor = runs_for === null ? sql`true` : sql`runs_for = ${runs_for}`;
  const { rows } = await sql<{ count: number | string }>`select count(*) as count from (
    select 1 as one from workflow_signal_subscriptions
    where service_id in ${services} and signal_name = ${name} and ${isFor} limit ${most}) as waiting`.execute(queries);
  return Number(rows[0]?.count ?? 0);
}

/** The next subscriptions that receive a signal, in the service at which it is. */
export async function nextReceivers(queries: Queries, signal: WorkflowSignalRow, most: number) {
  let waiting = queries
    .selectFrom('workflow_signal_subscriptions')
    .select(['position', 'instance_id', 'subscription'])
    .where('service_id', '=', signal.service_id)
    .where('signal_name', '=', signal.name)
    .where('position', '>', signal.position)
    .where('position', '<=', signal.last_position)
    .orderBy('position')
    .limit(most);
  const { instance_id, runs_for, signal: number } = signal;
  if (runs_for !== null) waiting = waiting.where('runs_for', '=', runs_for);
  // Subscriptions that the thrower opened after the signal do not receive it.
  if (instance_id !== null)
    waiting = waiting.where(sql<boolean>`not (instance_id = ${instance_id} and subscription > ${number})`);
  return waiting.execute();
}
