import { sql } from 'kysely';
import type { Queries } from '../../../foundation/storage/index.ts';
import {
  longCapacity,
  needsOfRow,
  Resources,
  type Capacity,
  type LongRunLimits,
  type Needs,
} from '../../../foundation/workers/index.ts';
import type { LongRun, Queue } from './situation.ts';

/**
 * Long executions that run on a worker, or on its whole machine (`ofMachine`). A row without a run time counts as long.
 */
export async function longRunsOn(
  transaction: Queries,
  workerId: string,
  ofMachine: boolean,
  { longRunSeconds, longRunShare }: LongRunLimits,
): Promise<LongRun[]> {
  if (longRunShare >= 1) return [];
  const rows = await transaction
    .selectFrom('executions')
    .select(['owner_id', 'cpus', 'memory_bytes', 'gpus', 'gpu_type'])
    // A literal condition: SQLite does not use a partial index for a parameter.
    .where(sql<boolean>`status = 'RUNNING'`)
    .where(
      'worker_id',
      'in',
      ofMachine
        ? sql<string>`(select ${workerId} union select id from workers
        where machine = (select machine from workers where id = ${workerId}))`
        : sql<string>`(${workerId})`,
    )
    .where(({ or, eb }) => or([eb('run_seconds', '>', longRunSeconds), eb('run_seconds', 'is', null)]))
    .execute();
  return rows.map((row) => ({ ownerId: row.owner_id ?? '', given: needsOfRow(row) }));
}

/**
 * Limits the long executions of one owner to their share of a machine. The rest becomes free for others within
 * `longRunSeconds`. Each machine counts for itself, so every machine keeps such a rest.
 */
export class LongRuns {
  readonly #limits: LongRunLimits;
  readonly #capacity: Capacity;
  readonly #max: number;
  readonly #owners = new Map<string, { readonly free: Resources; executions: number }>();

  /** `slots`: executions that the machine runs at once. */
  constructor(running: readonly LongRun[], capacity: Capacity, slots: number, limits: LongRunLimits) {
    this.#limits = limits;
    this.#capacity = longCapacity(capacity, limits.longRunShare);
    this.#max = Math.max(1, Math.floor(slots * limits.longRunShare));
    for (const { ownerId, given } of running) this.#take(ownerId, given);
  }

  allows(queue: Queue): boolean {
    if (!this.#isLong(queue)) return true;
    const { free, executions } = this.#of(queue.ownerId);
    return executions < this.#max && free.fit(queue.needs) !== null;
  }

  add(queue: Queue, given: Needs): void {
    if (this.#isLong(queue)) this.#take(queue.ownerId, given);
  }

  #isLong({ runTimeSeconds }: Queue): boolean {
    return this.#limits.longRunShare < 1 && runTimeSeconds > this.#limits.longRunSeconds;
  }

  #take(ownerId: string, given: Needs): void {
    const owner = this.#of(ownerId);
    owner.free.take(given);
    owner.executions += 1;
  }

  #of(ownerId: string): { readonly free: Resources; executions: number } {
    const owner = this.#owners.get(ownerId) ?? { free: new Resources(this.#capacity), executions: 0 };
    this.#owners.set(ownerId, owner);
    return owner;
  }
}
