import { sql } from 'kysely';
import type { Queries } from '../../../foundation/storage/index.ts';

/** With more owners at a time each waits for the next round. */
const OWNERS = 32;
/** So long, at most, nobody looks for what nobody has told of. */
const LOOK_MS = 100;

/**
 * Whose turn it is: owners are asked in the order of their ids, from where the last round stopped. Shared by all who take
 * from the same table in this process.
 */
export class RoundRobin {
  /** Instances that somebody in this process advances now. */
  readonly busy = new Set<string>();
  #after = '';
  #mayWait = true;
  #lookedAt = 0;

  /** There may be something in the table. */
  notify(): void {
    this.#mayWait = true;
  }

  /** Whether to look into the table, by somebody who has something else to do as well. */
  isTimeToLook(): boolean {
    return this.#mayWait || performance.now() - this.#lookedAt >= LOOK_MS;
  }

  /** Up to 32 owners who have rows in `table`, found with one look into its index for each. */
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
