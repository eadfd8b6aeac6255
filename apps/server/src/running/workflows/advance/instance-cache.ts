import type { WorkflowInstanceRow } from '../../../foundation/storage/index.ts';
import { readInline, stored, type LoadedState } from '../state.ts';
import type { Ended } from './completion-queue.ts';
import type { Advanced } from './reduce.ts';
import type { Loaded, Work } from './work.ts';

/** Of all that are stored as one, and of all that are stored in parts. */
const BYTES = 16 * 1024 * 1024;
const BYTES_IN_PARTS = 32 * 1024 * 1024;
/** With longer secrets one is read again: what it saves is little beside what it takes. */
const LARGEST = 64 * 1024;
/** Of a row beside its texts. */
const ROW_BYTES = 1024;

interface CachedInstance {
  readonly row: WorkflowInstanceRow;
  /** Null: what the row says. */
  readonly loaded: LoadedState | null;
}

/** The latest of what is put on it, up to so many bytes; the last one always. */
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
 * Instances as this process has written them, the latest of them: those with jobs, from their first one to their end, and those
 * that are stored in parts. What happens to one is taken into account without reading it again. Should somebody else have
 * advanced it meanwhile, its revision is another or the job is not known yet: nothing is written, and it is read.
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

  /** The state of an instance, if it is the one that is in the database. */
  stateAt({ id, revision }: WorkflowInstanceRow): LoadedState | null {
    const known = this.#find(id);
    return known?.row.revision === revision ? known.loaded : null;
  }

  /** Of what a batch has written: what has begun with a job is remembered, and goes on being so. */
  wrote(advanced: readonly Advanced[]): void {
    for (const { row, next, before } of advanced) {
      if (!next) continue;
      const { phase, incidents, toStore, effects } = next;
      const hasJobs = this.get(row.id) !== undefined || effects.some(({ type }) => type === 'startJob');
      const loaded = next.live && stored(before, next.live, toStore);
      const isKept = loaded !== null && (hasJobs || loaded.parts !== null);
      const { state, bytes } = toStore;
      if (phase !== 'RUNNING' || !isKept) this.forget(row.id);
      else this.remember({ ...row, phase, incidents, state, bytes, revision: row.revision + 1 }, loaded);
    }
  }

  /** In the place of those that were written longest ago. */
  remember(row: WorkflowInstanceRow, loaded: LoadedState | null = null): void {
    this.forget(row.id);
    if (loaded?.parts) this.#inParts.put({ row, loaded });
    else if (bytesOf(row) <= LARGEST) this.#small.put({ row, loaded: null });
  }

  forget(id: string): void {
    this.#small.remove(id);
    this.#inParts.remove(id);
  }

  /** The work that these ends are, when all of their instances are remembered, and else null. */
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
