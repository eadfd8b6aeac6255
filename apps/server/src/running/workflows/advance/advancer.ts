import type { ProcessGraph } from '@kethub/workflow';
import type { Moved } from '../../executions/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import {
  isAmong,
  isDuplicate,
  isOutage,
  removeOrphans,
  StatementBatch,
  type Queries,
} from '../../../foundation/storage/index.ts';
import type { Graphs } from '../graphs.ts';
import { addRemoval } from './ends.ts';
import { collectEffects, type Effects } from './effects.ts';
import { eventRow, insertEvents } from './events.ts';
import { HandOver, type JobExecutor } from './hand-over.ts';
import { CompletionQueue, LARGEST_BATCH, type Ended, type Taken } from './completion-queue.ts';
import { limitChildren } from './limit-children.ts';
import { InstanceCache } from './instance-cache.ts';
import { giveUp, suspend, leave, reduce, type Advanced } from './reduce.ts';
import { addSettlement, announce, prepareSettlement, settle, type Settlement } from './settle.ts';
import { inSlices } from './slices.ts';
import { addAdvanced, cancelled, changed, Conflict, storeOtherEffects } from './store.ts';
import { setAside } from './set-aside.ts';
import { Suspects, type SuspectTurn } from './suspects.ts';
import { RoundRobin } from './round-robin.ts';
import {
  candidates,
  candidatesOf,
  EVENTS,
  loadWork,
  sizesOf,
  type Candidates,
  type GivenUp,
  type Loaded,
  type Work,
} from './work.ts';

/** The outcome of a batch. */
export interface Batch {
  /** True if there may be more events or completions. */
  readonly more: boolean;
  /** True if there is work for the loops of jobs, timers, messages and signals. */
  readonly jobs: boolean;
  readonly timers: boolean;
  readonly messages: boolean;
  readonly signals: boolean;
}

/** The loaded work, and the instances after their steps. */
interface Reduced {
  readonly loaded: Loaded;
  readonly advanced: readonly Advanced[];
}

interface Prepared extends Reduced {
  readonly settlement: Settlement;
}

interface Written {
  readonly advanced: readonly Advanced[];
  readonly unused: readonly string[];
  readonly moved: readonly Moved[];
  readonly effects: Effects;
  readonly events: number;
  readonly later: ReadonlySet<Ended>;
}

/** State that the batches of a process share. */
export class Advancing {
  readonly roundRobin = new RoundRobin();
  readonly suspects: Suspects;
  readonly completions: CompletionQueue;
  readonly cache: InstanceCache;
  /** Null: all new jobs wait in the table. */
  readonly executor: JobExecutor | null;

  constructor(
    executor: JobExecutor | null = null,
    completions = new CompletionQueue(),
    cache = new InstanceCache(),
    suspects = new Suspects(),
  ) {
    this.suspects = suspects;
    this.executor = executor;
    this.completions = completions;
    this.cache = cache;
  }
}

/**
 * Advances many instances in one transaction: writes the state after each step, its journal and the effects. The
 * effects are carried out after the commit. Hand-over 5 of the state chart in workflows/engine.ts.
 *
 * On PostgreSQL several processes do this; each locks the rows that it reads and advances. Cached instances, and all
 * instances on SQLite, are computed before the transaction, so that nobody waits meanwhile. A change by somebody else
 * since then is a conflict.
 */
export async function advance(platform: Platform, graphs: Graphs, advancing = new Advancing()): Promise<Batch> {
  const { roundRobin, completions, suspects } = advancing;
  const turn = suspects.next(roundRobin.busy);
  const ends = turn
    ? completions.of(turn.id, turn.takes === 'ALL' ? LARGEST_BATCH : 1)
    : completions.next(roundRobin.busy, suspects);
  const chosen = await choose(platform, advancing, ends, turn);
  if (chosen.busy.length === 0) {
    if (turn) suspects.isIdle(turn.id);
    return { ...nothing, more: turn !== null || suspects.areDue };
  }
  try {
    const batch = await advanceThese(platform, graphs, chosen, ends, advancing);
    if (batch.more) roundRobin.notify();
    return { ...batch, more: batch.more || suspects.areDue };
  } catch (error) {
    if (isOutage(error)) {
      ends.reject(error);
      throw error;
    }
    couldNotWrite(platform, suspects, chosen, ends, turn, error);
    roundRobin.notify();
    return { ...nothing, more: true };
  } finally {
    for (const id of chosen.busy) roundRobin.busy.delete(id);
  }
}

const nothing: Batch = { more: false, jobs: false, timers: false, messages: false, signals: false };

/**
 * Nothing of the batch was written. The instances of a common batch are tried one by one; an instance that was alone is
 * tried later.
 */
function couldNotWrite(
  { log, telemetry }: Platform,
  suspects: Suspects,
  { busy, events, givenUp }: Chosen,
  ends: Taken,
  turn: SuspectTurn | null,
  error: unknown,
): void {
  const what = { instances: turn ? turn.id : busy.length, ends: ends.all.length, events: events.length, err: error };
  telemetry.metrics?.workflowRetried('batch');
  if (!turn) {
    log.warn(what, 'a batch of workflow events could not be written: each instance is tried by itself');
    suspects.suspect(busy);
    return ends.putBack();
  }
  const isOne = turn.takes === 'ONE' || ends.all.length + events.length === 1;
  const tried = givenUp ? 'ITS_END' : !isOne ? 'ALL' : ends.all.length > 0 ? 'END' : 'EVENT';
  if (tried === 'ITS_END')
    log.error(what, 'an instance of a workflow that cannot go on could not be ended: it is tried again');
  else
    log.warn(what, 'the events of an instance of a workflow could not be written: they are tried again, one at a time');
  suspects.failed(turn.id, error, tried);
  if (tried === 'ALL') ends.putBack();
  else ends.reject(error);
}

const nobody: Candidates = { instances: [], events: [], versions: new Set() };

interface Chosen extends Candidates {
  /** The instances of the batch, which no other batch of this process takes. */
  readonly busy: readonly string[];
}

/**
 * Chooses the events that this batch takes beside `ends`, and marks its instances as busy, so that no other batch of
 * this process takes them.
 */
async function choose(
  { database: { read } }: Platform,
  { roundRobin, cache, suspects }: Advancing,
  ends: Taken,
  turn: SuspectTurn | null,
): Promise<Chosen> {
  const busy = new Set(ends.all.map(({ job }) => job.instance_id));
  for (const id of busy) roundRobin.busy.add(id);
  try {
    const looks = ends.all.length === 0 || roundRobin.isTimeToLook();
    const [chosen, sizes] = await Promise.all([
      turn ? candidatesOfTurn(read, turn, ends) : looks ? candidates(read, roundRobin, suspects.ids) : nobody,
      sizesOf(read, cache, ends.all),
    ]);
    ends.putBack(new Set(ends.all.filter(({ job }) => !sizes.fit(job.instance_id))));
    // Another batch may have chosen the same instances during the query.
    const instances = chosen.instances.filter((id) => !roundRobin.busy.has(id));
    for (const id of instances) {
      roundRobin.busy.add(id);
      busy.add(id);
    }
    return {
      ...(chosen.givenUp && { givenUp: chosen.givenUp }),
      instances,
      events: chosen.events,
      versions: new Set([...chosen.versions, ...sizes.versions]),
      busy: [...busy],
    };
  } catch (error) {
    for (const id of busy) roundRobin.busy.delete(id);
    ends.reject(error);
    throw error;
  }
}

async function candidatesOfTurn(read: Queries, { id, takes, givenUp }: SuspectTurn, ends: Taken): Promise<Candidates> {
  if (takes === 'ONE') return ends.all.length > 0 ? nobody : candidatesOf(read, id, 1);
  const all = await candidatesOf(read, id, EVENTS);
  return givenUp === null ? all : { ...all, instances: [id], givenUp: { id, ...givenUp } };
}

async function advanceThese(
  platform: Platform,
  graphs: Graphs,
  chosen: Chosen,
  ends: Taken,
  { executor, completions, cache, suspects }: Advancing,
): Promise<Batch> {
  const { database, blobs } = platform;
  const compiled = new Map<string, ProcessGraph | null>();
  for (const version of chosen.versions) compiled.set(version, await graphs.load(version));
  const become = async (loaded: Loaded): Promise<Reduced> => {
    const { log, now } = platform;
    const reduceOne = (one: Work, isOver: () => boolean) =>
      chosen.givenUp?.id === one.row.id
        ? giveUpOrSuspend(chosen.givenUp, compiled.get(one.row.service_version_id) ?? null, one, now())
        : reduce(compiled.get(one.row.service_version_id) ?? null, one, now(), log, isOver);
    return splitEnds(loaded, await inSlices(loaded.work, reduceOne, leave));
  };
  const prepare = async (reduced: Reduced): Promise<Prepared> => ({
    ...reduced,
    settlement: await prepareSettlement(platform, reduced.advanced),
  });
  const load = async (queries: Queries) => become(await loadWork(database, queries, chosen, ends.all, cache));
  const recalled = chosen.events.length === 0 && !chosen.givenUp ? await recall(cache, ends, become) : null;
  const known = recalled ?? (database.dialect === 'sqlite' ? await load(database.read) : null);
  const beforehand = known && (await prepare(known));
  let stored: readonly string[] = beforehand?.settlement.blobs ?? [];
  const handOver = new HandOver(executor);
  try {
    const written = await database.write(async (transaction) => {
      const prepared = beforehand ?? (await prepare(await load(transaction)));
      stored = prepared.settlement.blobs;
      return write(platform, transaction, prepared, handOver);
    });
    stored = written.unused;
    cache.wrote(written.advanced);
    suspects.wrote(chosen.givenUp ? written.advanced.map(({ row }) => row.id) : chosen.busy);
    ends.putBack(written.later);
    const batch = batchOf(written, handOver.size, completions.size > 0);
    ends.resolve();
    handOver.begin();
    announce(platform, written.moved);
    return batch;
  } catch (error) {
    // Forgets all instances: a lost answer to a commit does not mean that nothing was written.
    for (const id of chosen.busy) cache.forget(id);
    // The cached instance is older than the row, so the next journal entry exists already.
    const isConflict = error instanceof Conflict || (recalled !== null && isDuplicate(error));
    if (!isConflict || !suspects.mayConflict(chosen.busy)) throw error;
    platform.telemetry.metrics?.workflowRetried('conflict');
    ends.putBack();
    return { ...nothing, more: true };
  } finally {
    handOver.release();
    await removeOrphans(database, blobs, stored);
  }
}

/**
 * Computes the steps of cached instances; null when they have to be read. When an end changes nothing, the cached
 * instance is outdated: it does not know the job yet.
 */
async function recall(
  cache: InstanceCache,
  { all }: Taken,
  become: (loaded: Loaded) => Promise<Reduced>,
): Promise<Reduced | null> {
  const loaded = cache.recall(all);
  if (!loaded) return null;
  const reduced = await become(loaded);
  const unchanged = reduced.advanced.filter(({ next, isLeft }) => next === null && !isLeft);
  for (const { row } of unchanged) cache.forget(row.id);
  return unchanged.length > 0 ? null : reduced;
}

function giveUpOrSuspend({ cause, isFinal }: GivenUp, graph: ProcessGraph | null, work: Work, now: number): Advanced {
  return isFinal ? giveUp(work, cause) : suspend(graph, work, now, cause);
}

/** Leaves ends that their instances did not get to for another batch. */
function splitEnds(loaded: Loaded, advanced: readonly Advanced[]): Reduced {
  const takenOf = new Map(advanced.map(({ row, ends }) => [row.id, ends]));
  const left = new Set<Ended>();
  for (const [id, ends] of Map.groupBy(loaded.ended, ({ job }) => job.instance_id))
    for (const end of ends.slice(takenOf.get(id) ?? 0)) left.add(end);
  const ended = loaded.ended.filter((end) => !left.has(end));
  return { loaded: { ...loaded, ended, later: new Set([...loaded.later, ...left]) }, advanced };
}

async function write(
  platform: Platform,
  transaction: Queries,
  { loaded: { ended, later }, advanced, settlement }: Prepared,
  handOver: HandOver,
): Promise<Written> {
  const effects = collectEffects(platform, advanced);
  await limitChildren(platform, transaction, effects);
  handOver.reserve(effects, new Set(advanced.flatMap(({ row, next }) => (next?.phase === 'ERROR' ? row.id : []))));
  const statements = new StatementBatch(transaction);
  const updated = addAdvanced(platform, statements, transaction, advanced, effects);
  const removed = ended.length > 0 ? addRemoval(statements, transaction, ended) : null;
  const settling = await addSettlement(statements, transaction, settlement);
  await statements.run();
  // Rows that were there during the reads may be gone.
  if (removed && removed.rows.length !== ended.length) throw new Conflict('A job was cancelled meanwhile');
  if (updated.rows.length !== changed(advanced).length) throw new Conflict('Somebody else has advanced an instance');
  await storeOtherEffects(platform, transaction, advanced, effects);
  await setAside(platform, transaction, advanced);
  await clear(transaction, advanced);
  await endWhatRuns(platform, transaction, advanced);
  const { unused, moved } = await settle(platform, transaction, settling);
  // There may be more events in the table than were taken; new ones were written.
  const events = advanced.reduce(
    (sum, one) => sum + one.events.length + (one.isLeft || one.isReleased ? 1 : 0),
    effects.events.length,
  );
  return { advanced, unused, moved, effects, events, later };
}

/** Deletes timers, subscriptions and secrets of instances that have ended. */
async function clear(transaction: Queries, advanced: readonly Advanced[]): Promise<void> {
  const finished = advanced.filter(({ next }) => next?.effects.some(({ type }) => type === 'finished'));
  const waited = finished.flatMap(({ row, next }) => (next?.hasWaited ? row.id : []));
  const withSecrets = finished.flatMap(({ row }) => (row.sealed_secrets === null ? [] : row.id));
  if (waited.length > 0)
    for (const table of ['workflow_timers', 'workflow_subscriptions', 'workflow_signal_subscriptions'] as const)
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

/** Cancels jobs and children of instances that were given up: their last step did not. */
async function endWhatRuns(platform: Platform, transaction: Queries, advanced: readonly Advanced[]): Promise<void> {
  const ids = advanced.filter(({ next }) => next?.phase === 'ERROR').map(({ row }) => row.id);
  if (ids.length === 0) return;
  const among = isAmong(transaction, 'instance_id', ids);
  await transaction.deleteFrom('workflow_jobs').where(among).where('state', 'in', ['OPEN', 'ENDED']).execute();
  await transaction
    .updateTable('workflow_jobs')
    .set({ state: cancelled, due: 0, locked_until: 0 })
    .where(among)
    .where('state', 'in', ['STARTED', 'REMOTE', 'CALLING'])
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
    messages: effects.subscriptions.length > 0 || effects.messages.length > 0,
    signals: effects.signals.length > 0,
  };
}
