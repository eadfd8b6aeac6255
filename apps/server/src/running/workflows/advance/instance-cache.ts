import type { WorkflowInstanceRow } from '../../../foundation/storage/index.ts';
import { readInline, stored, type LoadedState } from '../state.ts';
import type { Ended } from './completion-queue.ts';
import type { Advanced } from './reduce.ts';
import type { Loaded, Work } from './work.ts';

/**
 * Bytes of cached instances that are stored in one row, and of those stored in parts. Beyond it, the oldest are
 * evicted.
 */
const BYTES = 16 * 1024 * 1024;
const BYTES_IN_PARTS = 32 * 1024 * 1024;
/**
 * Bytes of one cached instance in one row, with its secrets. A larger one is read again: reading costs little beside
 * advancing it.
 */
const LARGEST = 64 * 1024;
/** Bytes of a row beside its texts. */
const ROW_BYTES = 1024;

interface CachedInstance {
  readonly row: WorkflowInstanceRow;
  /** Null: the state is in the row. */
  readonly loaded: LoadedState | null;
}

/** A cache with a limit in bytes: evicts the oldest entries, but never the one just added. */
class BoundedCache {
  readonly #rows = new Map<string, CachedInstance>();
  readonly #most: number;
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get(id: string): CachedInstance | undefined {
    return this.#rows.get(id);
  }

  put(one: CachedInstance): void {
    this.#rows.set(one.row.id, one);
    this.#bytes += bytesOf(one.row);
    for (const oldest of this.#rows.keys()) {
      if (this.#bytes <= this.#most || oldest === one.row.id) return;
      this.remove(oldest);
    }
  }

  remove(id: string): void {
    const one = this.#rows.get(id);
    if (!one) return;
    this.#bytes -= bytesOf(one.row);
    this.#rows.delete(id);
  }
}

/**
 * Caches instances as this process has written them: instances with jobs, from the first job to the end, and instances
 * stored in parts. So their next step needs no read.
 *
 * When somebody else has advanced an instance, its revision differs, or it does not know the job yet. Then nothing is
 * written, and the instance is read.
 */
export class InstanceCache {
  readonly #small = new BoundedCache(BYTES);
  readonly #inParts = new BoundedCache(BYTES_IN_PARTS);

  get(id: string): WorkflowInstanceRow | undefined {
    return this.#find(id)?.row;
  }

  #find(id: string): CachedInstance | undefined {
    return this.#small.get(id) ?? this.#inParts.get(id);
  }

  /** The cached state of an instance, if the database has the same revision. */
  stateAt({ id, revision }: WorkflowInstanceRow): LoadedState | null {
    const known = this.#find(id);
    return known?.row.revision === revision ? known.loaded : null;
  }

  /** Caches the instances of a written batch that have or had a job, or are stored in parts. */
  wrote(advanced: readonly Advanced[]): void {
    for (const { row, next, before } of advanced) {
      if (!next) continue;
      const { phase, incidents, childIncidents: child_incidents, toStore, effects } = next;
      const hasJobs = this.get(row.id) !== undefined || effects.some(({ type }) => type === 'startJob');
      const loaded = next.live && stored(before, next.live, toStore);
      const isKept = loaded !== null && (hasJobs || loaded.parts !== null);
      const { state, bytes } = toStore;
      if (phase !== 'RUNNING' || !isKept) this.forget(row.id);
      else
        this.remember({ ...row, phase, incidents, child_incidents, state, bytes, revision: row.revision + 1 }, loaded);
    }
  }

  /** Adds an instance; evicts those that were written longest ago. */
  remember(row: WorkflowInstanceRow, loaded: LoadedState | null = null): void {
    this.forget(row.id);
    if (loaded?.parts) this.#inParts.put({ row, loaded });
    else if (bytesOf(row) <= LARGEST) this.#small.put({ row, loaded: null });
  }

  forget(id: string): void {
    this.#small.remove(id);
    this.#inParts.remove(id);
  }

  /** The work for these ends when all their instances are cached, otherwise null. */
  recall(ended: readonly Ended[]): Loaded | null {
    const work: Work[] = [];
    for (const [id, ends] of Map.groupBy(ended, ({ job }) => job.instance_id)) {
      const known = this.#find(id);
      if (!known) return null;
      const { row, loaded } = known;
      const before = loaded ?? (row.state === null ? null : readInline(row.state));
      work.push({ row, before, events: [], ended: ends.map(({ event }) => event) });
    }
    return work.length > 0 ? { work, ended, later: new Set() } : null;
  }
}

const bytesOf = ({ bytes, sealed_secrets }: WorkflowInstanceRow): number =>
  ROW_BYTES + bytes + (sealed_secrets?.length ?? 0);
