import type { Event } from '@kethub/workflow';
import { sql } from 'kysely';
import { readExact } from '../exact.ts';
import {
  interleave,
  isAmong,
  recordsOf,
  type Database,
  type Queries,
  type WorkflowInstanceRow,
} from '../../../foundation/storage/index.ts';
import { isInParts, loadState, readInline, type LoadedState } from '../state.ts';
import { stillThere } from './ends.ts';
import type { QueuedEvent } from './events.ts';
import type { Ended } from './completion-queue.ts';
import { TimeSlice } from './slices.ts';
import type { RoundRobin } from './round-robin.ts';

/**
 * Number of events and instances per transaction. 128 instances make 6 to 8 times as many steps a second as one by one.
 */
export const EVENTS = 512;
const INSTANCES = 128;
/** Bytes of states and events per transaction. One instance is always taken. */
const BYTES = 16 * 1024 * 1024;

/** An instance, and the events and ends that it does not know yet. */
export interface Work {
  readonly row: WorkflowInstanceRow;
  /** Null before its first step. */
  readonly before: LoadedState | null;
  /** Reason why its state cannot be read. */
  readonly fault?: Error;
  readonly events: readonly { readonly id: string; readonly event: QueuedEvent }[];
  /** Ends of jobs, later than the events. */
  readonly ended: readonly Event[];
}

/** Instances whose row or state this process has cached. */
interface KnownInstances {
  get(id: string): WorkflowInstanceRow | undefined;
  stateAt(row: WorkflowInstanceRow): LoadedState | null;
}

/** The work that a batch has loaded. */
export interface Loaded {
  readonly work: readonly Work[];
  /** Ends whose jobs were still in the same state when they were read. Writing the batch checks this again. */
  readonly ended: readonly Ended[];
  /** Ends whose instances another process is advancing. */
  readonly later: ReadonlySet<Ended>;
}

/** The choice of a batch: instances, their events, and the versions whose graphs it needs. */
export interface Candidates {
  readonly instances: readonly string[];
  readonly events: readonly string[];
  readonly versions: ReadonlySet<string>;
  /** An instance to end or suspend even without an event, and the cause. */
  readonly givenUp?: GivenUp;
}

export interface GivenUp {
  readonly id: string;
  readonly cause: string;
  /** True if the instance ends; otherwise it is suspended, and an operator can retry it. */
  readonly isFinal: boolean;
}

/** The oldest events of one instance, up to `most`. */
export async function candidatesOf(queries: Queries, id: string, most: number): Promise<Candidates> {
  const rows = await queries
    .selectFrom('workflow_events as event')
    .innerJoin('workflow_instances as instance', 'instance.id', 'event.instance_id')
    .select(['event.id', 'instance.service_version_id'])
    .where('event.instance_id', '=', id)
    .orderBy('event.id')
    .limit(most)
    .execute();
  return {
    instances: rows.length > 0 ? [id] : [],
    events: rows.map((row) => row.id),
    versions: new Set(rows.map(({ service_version_id }) => service_version_id)),
  };
}

/** Instances with events: equal shares for all owners, and of each owner those that have waited longest. */
export async function candidates(
  queries: Queries,
  roundRobin: RoundRobin,
  without: readonly string[] = [],
): Promise<Candidates> {
  const instances = new Set<string>();
  const events: string[] = [];
  const versions = new Set<string>();
  let bytes = 0;
  for (const row of await waiting(queries, await roundRobin.next(queries, 'workflow_events'), without)) {
    if (roundRobin.busy.has(row.instance_id)) continue;
    const more = row.bytes + (instances.has(row.instance_id) ? 0 : row.state_bytes);
    const full = bytes + more > BYTES || (instances.size >= INSTANCES && !instances.has(row.instance_id));
    // Everything after it is left out, so that no event overtakes an earlier one of the same instance.
    if (instances.size > 0 && full) break;
    bytes += more;
    instances.add(row.instance_id);
    events.push(row.id);
    versions.add(row.service_version_id);
  }
  return { instances: [...instances], events, versions };
}

/** The versions of instances with ends, and whether an instance fits into the batch beside those asked about before. */
export async function sizesOf(queries: Queries, cache: Pick<KnownInstances, 'get'>, ends: readonly Ended[]) {
  const ids = [...new Set(ends.map(({ job }) => job.instance_id))];
  const unknown = ids.filter((id) => !cache.get(id));
  const query = queries.selectFrom('workflow_instances').select(['id', 'bytes', 'service_version_id']);
  const read = unknown.length === 0 ? [] : await query.where(isAmong(queries, 'id', unknown)).execute();
  const rows = [...ids.flatMap((id) => cache.get(id) ?? []), ...read];
  const unasked = new Map(rows.map(({ id, bytes }) => [id, bytes]));
  let left = BYTES;
  return {
    versions: new Set(rows.map(({ service_version_id }) => service_version_id)),
    fit(id: string): boolean {
      const bytes = unasked.get(id) ?? 0;
      if (left < BYTES && bytes > left) return false;
      unasked.delete(id);
      left -= bytes;
      return true;
    },
  };
}

interface Waiting {
  readonly id: string;
  readonly owner: string;
  readonly instance_id: string;
  readonly bytes: number;
  readonly state_bytes: number;
  readonly service_version_id: string;
}

async function waiting(queries: Queries, owners: readonly string[], without: readonly string[]): Promise<Waiting[]> {
  if (owners.length === 0) return [];
  const share = Math.ceil(EVENTS / owners.length);
  const heads = recordsOf(
    queries,
    owners.map((owner) => ({ owner })),
    { owner: 'text' },
  );
  const [ofOthers, ofOther] = ['waiting', 'event'].map((table) =>
    without.length === 0 ? sql`true` : sql`not ${isAmong(queries, `${table}.instance_id`, without)}`,
  );
  const { rows } = await sql<Waiting>`select event.id, event.owner, event.instance_id, event.bytes,
      instance.bytes as state_bytes, instance.service_version_id
    from (select given.owner, (select max(id) from (select waiting.id from workflow_events as waiting
      where waiting.owner = given.owner and ${ofOthers} order by waiting.id limit ${share}) as oldest) as last from ${heads} as given) as head
    join workflow_events as event on event.owner = head.owner and event.id <= head.last and ${ofOther}
    join workflow_instances as instance on instance.id = event.instance_id
    order by event.id`.execute(queries);
  return interleave([...Map.groupBy(rows, ({ owner }) => owner).values()]);
}

/**
 * Loads instances with their events. On PostgreSQL their rows are locked until the end of the transaction; rows that
 * another process has locked are left out. Others may refer to them meanwhile.
 */
export async function loadWork(
  { dialect }: Database,
  queries: Queries,
  { instances, events: chosen, givenUp }: Candidates,
  ends: readonly Ended[],
  cache: Pick<KnownInstances, 'stateAt'>,
): Promise<Loaded> {
  const among = queries
    .selectFrom('workflow_instances')
    .selectAll()
    .where(isAmong(queries, 'id', [...new Set([...instances, ...ends.map(({ job }) => job.instance_id)])]))
    .orderBy('id');
  const rows = await (dialect === 'postgres' ? among.forNoKeyUpdate().skipLocked() : among).execute();
  const events = chosen.length === 0 ? [] : await eventsOf(queries, chosen);
  const present = new Set(rows.map(({ id }) => id));
  const [own, left] = [true, false].map((is) => ends.filter(({ job }) => present.has(job.instance_id) === is));
  const ended = await stillThere(queries, own ?? []);
  const byInstance = Map.groupBy(events, (one) => one.instance_id);
  const endsOf = Map.groupBy(ended, ({ job }) => job.instance_id);
  const statesById = await statesOf(queries, rows, cache);
  const work: Work[] = [];
  const turn = new TimeSlice();
  for (const row of rows) {
    const before: Work['events'][number][] = [];
    for (const { id, event } of byInstance.get(row.id) ?? []) {
      before.push({ id, event: (await readExact(event)) as QueuedEvent });
      await turn.end();
    }
    const last = endsOf.get(row.id)?.map(({ event }) => event) ?? [];
    if (before.length + last.length > 0 || givenUp?.id === row.id)
      work.push({ row, before: null, ...statesById.get(row.id), events: inOrder(before), ended: last });
  }
  return { work, ended, later: new Set(await stillThere(queries, left ?? [])) };
}

function eventsOf(queries: Queries, ids: readonly string[]) {
  return queries
    .selectFrom('workflow_events')
    .select(['id', 'instance_id', 'event'])
    .where(isAmong(queries, 'id', ids))
    .orderBy('id')
    .execute();
}

async function statesOf(
  queries: Queries,
  rows: readonly WorkflowInstanceRow[],
  cache: Pick<KnownInstances, 'stateAt'>,
): Promise<Map<string, Pick<Work, 'before' | 'fault'>>> {
  const states = new Map<string, Pick<Work, 'before' | 'fault'>>();
  for (const row of rows) {
    if (row.state === null) continue;
    try {
      const read = () => (isInParts(row.state ?? '') ? loadState(queries, row.id) : readInline(row.state ?? ''));
      states.set(row.id, { before: cache.stateAt(row) ?? (await read()) });
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      states.set(row.id, { before: null, fault: error });
    }
  }
  return states;
}

/** Returns whether the stored text is not a state. The database is not the cause. */
const isUnreadable = (error: unknown): error is Error => error instanceof SyntaxError || error instanceof TypeError;

/**
 * Orders events. The start goes first, because the clocks of two processes may differ. Then comes a cancellation, which
 * does not wait for earlier events to be computed.
 */
function inOrder<E extends { readonly event: QueuedEvent }>(events: readonly E[]): E[] {
  const rank = ({ event }: E): number =>
    event.type === 'start' ? 0 : event.type === 'cancel' ? 1 : event.type === 'resume' ? 2 : 3;
  return events.toSorted((one, other) => rank(one) - rank(other));
}
