import type { RuntimeConfiguration } from '@kethub/contract';
import type { Platform } from '../../platform.ts';
import { needsOf } from '../../services/index.ts';
import type { ExecutionRow, Queries } from '../../storage/index.ts';
import { Room, type Capacity, type Needs } from '../../workers/index.ts';
import { plan, type Queue, type Start } from './plan.ts';
import {
  claimOldest,
  configurationsOf,
  hadTurn,
  holdClaims,
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
  readonly promised: readonly Needs[];
  readonly places: number;
}

/** How many queues are looked at: first some, and when nothing of them can be started, more. */
const LOOKS = [256, 4_096];

/** Claims executions for one worker after the other, whoever asks: what is claimed fits beside what has been claimed. */
export class Claims {
  readonly #platform: Platform;
  /** Of published versions, which do not change. */
  readonly #configurations = new Map<string, RuntimeConfiguration>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Takes those whose turn it is and that the worker has room for; they are RUNNING. */
  async claim(offer: Offer): Promise<ExecutionRow[]> {
    // What is full asks for nothing: it is woken with every execution that is accepted.
    const room = new Room(offer.capacity);
    for (const needs of offer.promised) room.take(needs);
    if (room.isFull) return [];
    return this.#platform.database.write(async (transaction) => {
      await holdClaims(transaction);
      for (const look of LOOKS) {
        const queues = await queuesByTurn(transaction, look, offer.containers).execute();
        if (queues.length === 0) return [];
        const starts = await this.#plan(transaction, queues, offer);
        const rows = await this.#start(transaction, starts, offer.workerId);
        for (const queue of queues) if (queue.head === null) await removeEmpty(transaction, queue);
        if (rows.length > 0 || queues.length < look) return rows;
      }
      return [];
    });
  }

  async #plan(transaction: Queries, rows: readonly QueueWithHead[], offer: Offer): Promise<Start[]> {
    const configurations = await this.#configurationsOf(transaction, rows);
    const { turns } = this.#platform.configuration;
    const queues = rows.flatMap((row) => queueOf(row, configurations.get(row.service_version_id)) ?? []);
    if (queues.length === 0) return [];
    const running = await runningEverywhere(transaction);
    return plan({ queues, running, ...offer, ...turns, now: this.#platform.now() });
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
