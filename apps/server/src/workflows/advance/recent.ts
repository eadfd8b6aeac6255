import type { WorkflowInstanceRow } from '../../storage/index.ts';
import type { Ended } from './inbox.ts';
import type { Advanced } from './reduce.ts';
import type { Loaded, Work } from './work.ts';

/** Of all together. */
const BYTES = 16 * 1024 * 1024;
/** A longer one is read again: what it saves is little beside what it takes. */
const LARGEST = 64 * 1024;
/** Of a row beside its texts. */
const ROW_BYTES = 1024;

/**
 * Instances as this process has written them, from their first job to their end, the latest of them: the end of a job is
 * taken into account without reading the instance again. Should somebody else have advanced it meanwhile, its revision is
 * another or the job is not known yet: nothing is written, and it is read.
 */
export class RecentInstances {
  readonly #rows = new Map<string, WorkflowInstanceRow>();
  #bytes = 0;

  get(id: string): WorkflowInstanceRow | undefined {
    return this.#rows.get(id);
  }

  /** Of what a batch has written: what has begun with a job is remembered, and goes on being so. */
  wrote(advanced: readonly Advanced[]): void {
    for (const { row, next } of advanced) {
      if (!next) continue;
      const { phase, incidents, state, bytes, effects } = next;
      const hasJobs = this.#rows.has(row.id) || effects.some(({ type }) => type === 'startJob');
      if (phase !== 'RUNNING' || !hasJobs) this.forget(row.id);
      else this.remember({ ...row, phase, incidents, state, bytes, revision: row.revision + 1 });
    }
  }

  /** In the place of those that were written longest ago. */
  remember(row: WorkflowInstanceRow): void {
    this.forget(row.id);
    if (bytesOf(row) > LARGEST) return;
    this.#rows.set(row.id, row);
    this.#bytes += bytesOf(row);
    for (const oldest of this.#rows.keys()) {
      if (this.#bytes <= BYTES) return;
      this.forget(oldest);
    }
  }

  forget(id: string): void {
    const row = this.#rows.get(id);
    if (!row) return;
    this.#bytes -= bytesOf(row);
    this.#rows.delete(id);
  }

  /** The work that these ends are, when all of their instances are remembered, and else null. */
  recall(ended: readonly Ended[]): Loaded | null {
    const work: Work[] = [];
    for (const [id, ends] of Map.groupBy(ended, ({ job }) => job.instance_id)) {
      const row = this.#rows.get(id);
      if (!row) return null;
      work.push({ row, events: [], ended: ends.map(({ event }) => event) });
    }
    return work.length > 0 ? { work, ended, later: new Set() } : null;
  }
}

const bytesOf = ({ bytes, sealed_secrets }: WorkflowInstanceRow): number =>
  ROW_BYTES + bytes + (sealed_secrets?.length ?? 0);
