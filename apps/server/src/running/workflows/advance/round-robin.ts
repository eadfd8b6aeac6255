import { sql } from 'kysely';
import type { Queries } from '../../../foundation/storage/index.ts';

/** Number of owners per round. Further ones wait for the next round. */
const OWNERS = 32;
/** Milliseconds after which the table is read even without a notification. */
const LOOK_MS = 100;

/**
 * A round-robin cursor over owners, in the order of their ids. Shared by everybody in this process who takes from the
 * same table.
 */
export class RoundRobin {
  /** Instances that a batch of this process is advancing. */
  readonly busy = new Set<string>();
  #after = '';
  #mayWait = true;
  #lookedAt = 0;

  /** Notes that there may be rows in the table. */
  notify(): void {
    this.#mayWait = true;
  }

  /** Returns whether to read the table, for a batch that has other work as well. */
  isTimeToLook(): boolean {
    return this.#mayWait || performance.now() - this.#lookedAt >= LOOK_MS;
  }

  /** Returns the next owners who have rows in `table`, up to 32, with one index look-up for each. */
  async next(
    queries: Queries,
    table: 'workflow_events' | 'workflow_jobs' | 'workflow_messages' | 'workflow_signals',
    where = sql`true`,
  ): Promise<string[]> {
    this.#mayWait = false;
    this.#lookedAt = performance.now();
    const from = sql.table(table);
    const { rows } = await sql<{ owner: string }>`with recursive owners (owner) as (
      select min(owner) from ${from} where ${where} and owner > ${this.#after}
      union all
      select (select min(waiting.owner) from ${from} as waiting where ${where} and waiting.owner > owners.owner)
      from owners where owners.owner is not null)
      select owner from owners where owner is not null limit ${OWNERS}`.execute(queries);
    const before = this.#after;
    this.#after = rows.length === OWNERS ? (rows.at(-1)?.owner ?? '') : '';
    return rows.length === 0 && before !== '' ? this.next(queries, table, where) : rows.map(({ owner }) => owner);
  }
}
