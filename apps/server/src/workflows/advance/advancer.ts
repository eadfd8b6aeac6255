import type { ProcessGraph } from '@kethub/workflow';
import type { Platform } from '../../platform.ts';
import { isAmong, removeUnused, type Queries } from '../../storage/index.ts';
import type { Graphs } from '../graphs.ts';
import { removeJobs } from './ends.ts';
import { gatherEffects, type Effects } from './effects.ts';
import { eventRow, insertEvents } from './events.ts';
import { HandOver, type Taker } from './hand-over.ts';
import { Inbox, type Ended, type Taken } from './inbox.ts';
import { limitChildren } from './limit-children.ts';
import { reduce, type Advanced } from './reduce.ts';
import { announce, prepareSettlement, settle, type Settlement } from './settle.ts';
import { Conflict, storeAdvanced } from './store.ts';
import { Turns } from './turns.ts';
import { candidates, loadWork, sizesOf, type Candidates, type Loaded } from './work.ts';

/** What a batch has come to. */
export interface Batch {
  /** Whether there may be more of the same. */
  readonly more: boolean;
  /** Whether something waits for those who work on jobs, timers and messages. */
  readonly jobs: boolean;
  readonly timers: boolean;
  readonly messages: boolean;
}

interface Prepared {
  readonly loaded: Loaded;
  readonly advanced: readonly Advanced[];
  readonly settlement: Settlement;
}

interface Written {
  readonly settlement: Settlement;
  readonly unused: readonly string[];
  readonly moved: readonly string[];
  readonly effects: Effects;
  readonly events: number;
  readonly later: ReadonlySet<Ended>;
}

/**
 * Takes what has happened to many instances into account, in one transaction: each becomes what the engine makes of it,
 * with its journal, and what has to happen outside is written down for those who do it after the commit.
 *
 * On PostgreSQL several processes do this; each holds the instances that it advances. On SQLite there is one process: it
 * computes outside of the transaction, so that nobody else waits for the one writer meanwhile.
 */
export async function advance(
  platform: Platform,
  graphs: Graphs,
  turns = new Turns(),
  taker: Taker | null = null,
  inbox = new Inbox(),
): Promise<Batch> {
  const ends = inbox.next(turns.busy);
  const chosen = await choose(platform, turns, ends);
  if (chosen.busy.length === 0) return { more: false, jobs: false, timers: false, messages: false };
  try {
    const batch = await advanceThese(platform, graphs, chosen, ends, taker, inbox);
    if (batch.more) turns.told();
    return batch;
  } finally {
    for (const id of chosen.busy) turns.busy.delete(id);
  }
}

const nobody: Candidates = { instances: [], events: [], versions: new Set() };

interface Chosen extends Candidates {
  /** The instances of the batch. */
  readonly busy: readonly string[];
}

/** What this batch takes, of the table beside `ends`: it is busy with that, and no other of this process takes it too. */
async function choose({ database: { read } }: Platform, turns: Turns, ends: Taken): Promise<Chosen> {
  const busy = new Set(ends.all.map(({ job }) => job.instance_id));
  for (const id of busy) turns.busy.add(id);
  try {
    const looks = ends.all.length === 0 || turns.isTimeToLook();
    const [chosen, sizes] = await Promise.all([looks ? candidates(read, turns) : nobody, sizesOf(read, ends.all)]);
    ends.putBack(new Set(ends.all.filter(({ job }) => !sizes.fit(job.instance_id))));
    // Another batch may have chosen the same while this one was looking.
    const instances = chosen.instances.filter((id) => !turns.busy.has(id));
    for (const id of instances) {
      turns.busy.add(id);
      busy.add(id);
    }
    return {
      instances,
      events: chosen.events,
      versions: new Set([...chosen.versions, ...sizes.versions]),
      busy: [...busy],
    };
  } catch (error) {
    for (const id of busy) turns.busy.delete(id);
    ends.reject(error);
    throw error;
  }
}

async function advanceThese(
  platform: Platform,
  graphs: Graphs,
  chosen: Candidates,
  ends: Taken,
  taker: Taker | null,
  inbox: Inbox,
): Promise<Batch> {
  const { database, blobs } = platform;
  const compiled = new Map<string, ProcessGraph | null>();
  for (const version of chosen.versions) compiled.set(version, await graphs.load(version));
  const prepare = async (queries: Queries) => {
    const loaded = await loadWork(database, queries, chosen, ends.all);
    const advanced = loaded.work.map((one) =>
      reduce(compiled.get(one.row.service_version_id) ?? null, one, platform.now(), platform.log),
    );
    return { loaded, advanced, settlement: await prepareSettlement(platform, advanced) };
  };
  const beforehand = database.dialect === 'sqlite' ? await prepare(database.read) : null;
  let stored: readonly string[] = beforehand?.settlement.blobs ?? [];
  const handOver = new HandOver(taker);
  try {
    const written = await database.write(async (transaction) => {
      const prepared = beforehand ?? (await prepare(transaction));
      stored = prepared.settlement.blobs;
      if (beforehand) await removeAll(transaction, beforehand.loaded.ended);
      return write(platform, transaction, prepared, handOver);
    });
    stored = written.unused;
    ends.putBack(written.later);
    const batch = batchOf(written, handOver.size, inbox.size > 0);
    ends.resolve();
    handOver.begin();
    announce(platform, written.settlement, written.moved);
    return batch;
  } catch (error) {
    if (!(error instanceof Conflict)) {
      ends.reject(error);
      throw error;
    }
    ends.putBack(new Set(ends.all));
    return { more: true, jobs: false, timers: false, messages: false };
  } finally {
    handOver.release();
    await removeUnused(database, blobs, stored);
  }
}

/** What was there a moment ago may have been taken away since. */
async function removeAll(transaction: Queries, ends: readonly Ended[]): Promise<void> {
  const removed = await removeJobs(transaction, ends);
  if (removed.length !== ends.length) throw new Conflict('A job was cancelled meanwhile');
}

async function write(
  platform: Platform,
  transaction: Queries,
  { loaded: { ended, later }, advanced, settlement }: Prepared,
  handOver: HandOver,
): Promise<Written> {
  const effects = gatherEffects(platform, advanced);
  await limitChildren(platform, transaction, effects);
  handOver.reserve(effects, new Set(advanced.flatMap(({ row, next }) => (next?.phase === 'ERROR' ? row.id : []))));
  await storeAdvanced(platform, transaction, advanced, effects);
  await clear(transaction, advanced);
  await endWhatRuns(platform, transaction, advanced);
  for (const { alongside } of ended) await alongside?.(transaction);
  const { unused, moved } = await settle(platform, transaction, settlement);
  // What was taken from the table may not have been all of it; what was put there is to be taken.
  const events = advanced.reduce((sum, one) => sum + one.events.length, effects.events.length);
  return { settlement, unused, moved, effects, events, later };
}

/** Nothing waits for an instance that has ended, and nobody needs its secrets. */
async function clear(transaction: Queries, advanced: readonly Advanced[]): Promise<void> {
  const finished = advanced.filter(({ next }) => next?.effects.some(({ type }) => type === 'finished'));
  const waited = finished.flatMap(({ row, next }) => (next?.hasWaited ? row.id : []));
  const withSecrets = finished.flatMap(({ row }) => (row.sealed_secrets === null ? [] : row.id));
  if (waited.length > 0)
    for (const table of ['workflow_timers', 'workflow_subscriptions'] as const)
      await transaction
        .deleteFrom(table)
        .where(isAmong(transaction, 'instance_id', waited))
        .execute();
  if (withSecrets.length > 0)
    await transaction
      .updateTable('workflow_instances')
      .set({ sealed_secrets: null })
      .where(isAmong(transaction, 'id', withSecrets))
      .execute();
}

/** An instance that was given up has cancelled nothing itself. */
async function endWhatRuns(platform: Platform, transaction: Queries, advanced: readonly Advanced[]): Promise<void> {
  const ids = advanced.filter(({ next }) => next?.phase === 'ERROR').map(({ row }) => row.id);
  if (ids.length === 0) return;
  const among = isAmong(transaction, 'instance_id', ids);
  await transaction.deleteFrom('workflow_jobs').where(among).where('state', 'in', ['OPEN', 'ENDED']).execute();
  await transaction
    .updateTable('workflow_jobs')
    .set({ state: 'CANCELLING', due: 0, locked_until: 0 })
    .where(among)
    .where('state', 'in', ['STARTED', 'REMOTE'])
    .execute();
  const children = await transaction
    .selectFrom('workflow_instances')
    .select('id')
    .where(isAmong(transaction, 'parent_id', ids))
    .where('phase', 'in', ['NEW', 'RUNNING'])
    .execute();
  const events = children.map(({ id }) => eventRow(platform, id, { type: 'cancel' }));
  await insertEvents(transaction, events);
}

function batchOf({ effects, events }: Written, begun: number, moreEnds: boolean): Batch {
  return {
    more: events > 0 || moreEnds,
    jobs: effects.jobs.length > begun || effects.jobsToCancel.length > 0,
    timers: effects.timers.length > 0,
    messages: effects.subscriptions.length > 0,
  };
}
