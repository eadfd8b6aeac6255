import type { RuntimeConfiguration } from '@kethub/contract';
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../../foundation/platform.ts';
import { needsOf } from '../../../catalog/services/index.ts';
import type { ExecutionRow, Queries } from '../../../foundation/storage/index.ts';
import {
  claimExclusively,
  lockClaims,
  machineOf,
  promisedOn,
  freeResources,
  type Capacity,
  type Machine,
  type Needs,
} from '../../../foundation/workers/index.ts';
import { runningOf } from '../queries.ts';
import { longRunsOn } from './long-runs.ts';
import { plan } from './plan.ts';
import type { Queue, Situation, Start } from './situation.ts';
import {
  claimOldest,
  configurationsOf,
  fullServices,
  recordTurns,
  queuesByTurn,
  removeEmpty,
  runningEverywhere,
  somethingWaits,
  type QueueWithHead,
} from './queries.ts';

/** The resources that a worker offers at the moment. */
export interface Offer {
  readonly workerId: string;
  readonly capacity: Capacity;
  /** True if it can run containers. */
  readonly containers: boolean;
  /** Resources given away, by execution: claimed ones, and cancelled ones whose processes still run. */
  readonly promised: ReadonlyMap<string, Needs>;
  /** Executions that it may run beside these. */
  readonly slots: number;
}

/** Queues read at a time. Further pages are read only if a queue on them may have to start first. */
const PAGE = 512;
/** Pages read for one claim; queues beyond them wait for the next claim. */
const MAX_PAGES = 40;
/** An owner with this many queues on the pages read is left out of the next page. */
const MANY_QUEUES = 64;
/** Configurations cached. */
const CACHED = 10_000;

/** Claims executions. One worker claims at a time, so each sees what the others have claimed. */
export class Claims {
  readonly #platform: Platform;
  readonly #machine: Machine;
  /** Configurations of published versions, which do not change. */
  readonly #configurations = new LRUCache<string, RuntimeConfiguration>({ max: CACHED });

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#machine = machineOf(platform.configuration.capacity);
  }

  /**
   * Claims the executions that the worker should start now. Their rows are RUNNING afterwards. `isHint`: many workers
   * follow the same hint.
   */
  async claim(offer: Offer, isHint = false): Promise<readonly ExecutionRow[]> {
    // A worker is woken with every execution that is accepted: a full one must not query the database each time.
    if (freeResources(offer.capacity, [...offer.promised.values()]).isFull) return [];
    const { read } = this.#platform.database;
    return claimExclusively(
      this.#platform,
      () => somethingWaits(read),
      async (transaction) => {
        const { starts, empty } = await this.#look(transaction, offer);
        const rows = await this.#start(transaction, starts, offer.workerId);
        for (const { owner_id, service_version_id } of empty)
          await removeEmpty(transaction, { ownerId: owner_id, versionId: service_version_id });
        return rows;
      },
      isHint,
    );
  }

  /**
   * Reads the executions that run on a worker without its knowledge: the connection broke before it had the answer to
   * their claim. The lock waits for the end of a claim that the database is still making.
   */
  async unanswered(workerId: string, known: ReadonlySet<string>): Promise<ExecutionRow[]> {
    const rows = await this.#platform.database.write(async (transaction) => {
      await lockClaims(transaction);
      return runningOf(transaction, workerId);
    });
    return rows.filter(({ id }) => !known.has(id));
  }

  /**
   * Reads the queues that have waited longest for a start, page by page. Another page is read when none of these can be
   * started, or when an owner further back may have less running. Owners and services at a limit are left out of
   * further pages.
   */
  async #look(transaction: Queries, offer: Offer): Promise<{ starts: Start[]; empty: QueueWithHead[] }> {
    const { containers } = offer;
    const queues: Queue[] = [];
    const empty: QueueWithHead[] = [];
    let page = await queuesByTurn(transaction, { limit: PAGE, containers }).execute();
    if (page.length === 0) return { starts: [], empty };
    const situation = await this.#situation(transaction, offer);
    const atLimit = page.length < PAGE ? null : await this.#atLimit(transaction, situation);
    for (let pages = 1; ; pages++) {
      const configurations = await this.#configurationsOf(transaction, page);
      empty.push(...page.filter(({ head }) => head === null));
      queues.push(...page.flatMap((row) => queueOf(row, configurations.get(row.service_version_id)) ?? []));
      const starts = plan({ ...situation, queues });
      const isCertain = starts.length > 0 && starts.every(({ share }) => share === 0);
      if (isCertain || atLimit === null || page.length < PAGE || pages === MAX_PAGES) return { starts, empty };
      const withoutOwners = [...atLimit.withoutOwners, ...ownersWithMany(queues)];
      const next = { limit: PAGE, containers, after: page.at(-1), ...atLimit, withoutOwners };
      page = await queuesByTurn(transaction, next).execute();
    }
  }

  async #situation(transaction: Queries, offer: Offer): Promise<Omit<Situation, 'queues'>> {
    const { workerId, capacity, slots } = offer;
    const now = this.#platform.now();
    const { scheduling } = this.#platform.configuration;
    const { sharesCpus, sharesMemory } = this.#machine;
    // An execution unknown to the worker was claimed too: the connection broke before the answer arrived.
    const { executions, beside } = await promisedOn(transaction, workerId, this.#machine);
    const promised = new Map([...offer.promised, ...executions]);
    return {
      running: await runningEverywhere(transaction, now),
      capacity,
      promised: [...promised.values(), ...beside],
      slots: slots - (promised.size - offer.promised.size),
      longRunning: await longRunsOn(transaction, workerId, sharesCpus || sharesMemory, scheduling),
      ...scheduling,
      now,
    };
  }

  async #atLimit(
    transaction: Queries,
    { running, ownerAtOnce }: Omit<Situation, 'queues'>,
  ): Promise<{ withoutOwners: string[]; withoutServices: string[] }> {
    const counts = new Map<string, number>();
    for (const { ownerId, executions } of running) counts.set(ownerId, (counts.get(ownerId) ?? 0) + executions);
    const full = [...counts].filter(([, executions]) => executions >= (ownerAtOnce ?? Infinity));
    return {
      withoutOwners: full.map(([ownerId]) => ownerId),
      withoutServices: await fullServices(transaction, running),
    };
  }

  async #start(transaction: Queries, starts: readonly Start[], workerId: string): Promise<ExecutionRow[]> {
    if (starts.length === 0) return [];
    const now = this.#platform.now();
    const claimed: ExecutionRow[] = [];
    for (const [queue, ofQueue] of Map.groupBy(starts, (one) => one.queue))
      for (const [, same] of Map.groupBy(ofQueue, ({ given }) => given.gpuType)) {
        const [{ given } = { given: queue.needs }] = same;
        const claim = { workerId, now, given, limit: same.length };
        const rows = await claimOldest(transaction, queue, claim).execute();
        claimed.push(...rows);
        // At once: while it is there, every worker looks for what may wait in it.
        if (rows.length < same.length) await removeEmpty(transaction, queue);
      }
    await recordTurns(transaction, [...new Set(starts.map(({ queue }) => queue.ownerId))], now);
    return claimed;
  }

  async #configurationsOf(
    transaction: Queries,
    rows: readonly QueueWithHead[],
  ): Promise<ReadonlyMap<string, RuntimeConfiguration>> {
    const configurations = new Map<string, RuntimeConfiguration>();
    const missing = new Set<string>();
    for (const { service_version_id: id } of rows) {
      const cached = this.#configurations.get(id);
      if (cached) configurations.set(id, cached);
      else missing.add(id);
    }
    if (missing.size === 0) return configurations;
    for (const { id, state, configuration } of await configurationsOf(transaction, [...missing])) {
      const read = { ...(JSON.parse(configuration) as RuntimeConfiguration), environment: {} };
      configurations.set(id, read);
      if (state !== 'DRAFT') this.#configurations.set(id, read);
    }
    return configurations;
  }
}

/** Needs of a deleted version: its executions are claimed, and fail with the reason. */
const NOTHING: Needs = { cpus: 0, memoryBytes: 0, gpus: 0, gpuType: null };

function ownersWithMany(queues: readonly Queue[]): string[] {
  const byOwner = Map.groupBy(queues, ({ ownerId }) => ownerId);
  return [...byOwner].flatMap(([ownerId, of]) => (of.length >= MANY_QUEUES ? [ownerId] : []));
}

function queueOf(row: QueueWithHead, configuration: RuntimeConfiguration | undefined): Queue | null {
  if (row.head === null) return null;
  return {
    ownerId: row.owner_id,
    versionId: row.service_version_id,
    serviceId: row.service_id,
    serviceAtOnce: row.executions_at_once,
    turnAt: row.turn_at,
    head: row.head,
    headCreatedAt: row.head_created_at ?? row.turn_at,
    needs: configuration ? needsOf(configuration) : NOTHING,
    runTimeSeconds: configuration?.runTimeSeconds ?? 0,
  };
}
