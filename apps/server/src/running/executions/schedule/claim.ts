import type { RuntimeConfiguration } from '@kethub/contract';
import type { Platform } from '../../../foundation/platform.ts';
import { needsOf } from '../../../catalog/services/index.ts';
import type { ExecutionRow, Queries } from '../../../foundation/storage/index.ts';
import {
  holdClaims,
  machineOf,
  promisedOn,
  roomOf,
  type Capacity,
  type Machine,
  type Needs,
} from '../../../foundation/workers/index.ts';
import { longRunsOn } from './long-runs.ts';
import { plan, type Queue, type Situation, type Start } from './plan.ts';
import {
  claimOldest,
  configurationsOf,
  fullServices,
  hadTurn,
  queuesByTurn,
  removeEmpty,
  runningEverywhere,
  type QueueWithHead,
} from './queries.ts';

/** What a worker has to give at the moment. */
export interface Offer {
  readonly workerId: string;
  readonly capacity: Capacity;
  /** Whether it can run containers. */
  readonly containers: boolean;
  /** By execution: what has been claimed, and what was cancelled and has processes left. */
  readonly promised: ReadonlyMap<string, Needs>;
  /** How many executions it may run beside these. */
  readonly places: number;
}

/** How many queues are looked at together. Of more than that, others only when there is reason to. */
const PAGE = 512;
const MOST_PAGES = 40;
/** An owner with so many queues in what was looked at hides nobody on the next page. */
const MANY_QUEUES = 64;

/** Claims executions for one worker after the other, whoever asks: what is claimed fits beside what has been claimed. */
export class Claims {
  readonly #platform: Platform;
  readonly #machine: Machine;
  /** Of published versions, which do not change. */
  readonly #configurations = new Map<string, RuntimeConfiguration>();

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#machine = machineOf(platform.configuration.capacity);
  }

  /** Takes those whose turn it is and that the worker has room for; they are RUNNING. */
  async claim(offer: Offer): Promise<ExecutionRow[]> {
    // What is full asks for nothing: it is woken with every execution that is accepted.
    if (roomOf(offer.capacity, [...offer.promised.values()]).isFull) return [];
    return this.#platform.database.write(async (transaction) => {
      await holdClaims(transaction);
      const { starts, empty } = await this.#look(transaction, offer);
      const rows = await this.#start(transaction, starts, offer.workerId);
      for (const queue of empty) await removeEmpty(transaction, queue);
      return rows;
    });
  }

  /**
   * Looks at those whose turn is the longest ago, and at more of them where none of these can be started, or where somebody
   * may wait behind them who has less running. What is at a limit is not looked at then, however many wait there.
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
      if (isCertain || atLimit === null || page.length < PAGE || pages === MOST_PAGES) return { starts, empty };
      const withoutOwners = [...atLimit.withoutOwners, ...ownersWithMany(queues)];
      const next = { limit: PAGE, containers, after: page.at(-1), ...atLimit, withoutOwners };
      page = await queuesByTurn(transaction, next).execute();
    }
  }

  async #situation(transaction: Queries, offer: Offer): Promise<Omit<Situation, 'queues'>> {
    const { workerId, capacity, places } = offer;
    const now = this.#platform.now();
    const { turns } = this.#platform.configuration;
    const { sharesCpus, sharesMemory } = this.#machine;
    // What is not known to the worker was claimed all the same: the connection broke before it had heard of it.
    const { executions, beside } = await promisedOn(transaction, workerId, this.#machine);
    const promised = new Map([...offer.promised, ...executions]);
    return {
      running: await runningEverywhere(transaction, now),
      capacity,
      promised: [...promised.values(), ...beside],
      places: places - (promised.size - offer.promised.size),
      longRunning: await longRunsOn(transaction, workerId, sharesCpus || sharesMemory, turns),
      ...turns,
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
        claimed.push(...(await claimOldest(transaction, queue, claim).execute()));
      }
    await hadTurn(transaction, [...new Set(starts.map(({ queue }) => queue.ownerId))], now);
    return claimed;
  }

  async #configurationsOf(
    transaction: Queries,
    rows: readonly QueueWithHead[],
  ): Promise<ReadonlyMap<string, RuntimeConfiguration>> {
    const known = this.#configurations;
    const unknown = new Set(rows.map((row) => row.service_version_id).filter((id) => !known.has(id)));
    if (unknown.size === 0) return known;
    const found = new Map(known);
    for (const { id, state, configuration } of await configurationsOf(transaction, [...unknown])) {
      found.set(id, JSON.parse(configuration) as RuntimeConfiguration);
      if (known.size >= REMEMBERED) known.clear();
      if (state !== 'DRAFT') known.set(id, { ...(JSON.parse(configuration) as RuntimeConfiguration), environment: {} });
    }
    return found;
  }
}

const REMEMBERED = 10_000;
/** Of a version that was deleted: its executions are taken, and fail with the reason. */
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
