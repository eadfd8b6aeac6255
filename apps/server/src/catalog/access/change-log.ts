import { sql } from 'kysely';
import type { Database } from '../../foundation/storage/index.ts';

const KEPT_MS = 60 * 60 * 1000;

/**
 * Reads which applications may call something else than before. Triggers write the log `access_changes` in the transaction of the
 * change, so that no change is missed, whether or not its notification arrives.
 */
export class AccessChangeLog {
  readonly #database: Database;
  /** SQLite: number of the last change that was read. PostgreSQL: the first transaction that may bring more. */
  #place: string | null = null;
  /** PostgreSQL: what has been read of transactions from `#place` on. */
  #seen = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The ids of the applications changed since the last call; the first call begins the reading. */
  read(): Promise<string[]> {
    return this.#database.dialect === 'sqlite' ? this.#readInOrder() : this.#readByTransaction();
  }

  /** Deletes what everybody has read long ago. */
  async purge(now: number): Promise<void> {
    await this.#database.write((transaction) =>
      transaction
        .deleteFrom('access_changes')
        .where('created_at', '<', now - KEPT_MS)
        .execute(),
    );
  }

  async #readInOrder(): Promise<string[]> {
    const { read } = this.#database;
    if (this.#place === null) {
      const { rows } = await sql<{ last: number | null }>`select max(number) as last from access_changes`.execute(read);
      this.#place = String(rows[0]?.last ?? 0);
      return [];
    }
    const changes = await read
      .selectFrom('access_changes')
      .select(['number', 'application_id'])
      .where('number', '>', Number(this.#place))
      .orderBy('number')
      .execute();
    this.#place = String(changes.at(-1)?.number ?? this.#place);
    return changes.map((change) => change.application_id);
  }

  /** Everything of transactions before the horizon has been visible to the statement that reads it. */
  async #readByTransaction(): Promise<string[]> {
    const from = this.#place;
    const { rows } = await sql<{ horizon: string; number: string | null; application_id: string | null }>`
      select horizon::text as horizon, number::text as number, application_id
      from (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon) as now
      left join access_changes on transaction_id >= coalesce(${from}::bigint, horizon)`.execute(this.#database.read);
    this.#place = rows[0]?.horizon ?? from;
    const changes = rows.flatMap(({ number, application_id }) =>
      number === null || application_id === null ? [] : [{ number, application_id }],
    );
    const before = this.#seen;
    this.#seen = new Set(changes.map(({ number }) => number));
    if (from === null) return [];
    return changes.filter(({ number }) => !before.has(number)).map(({ application_id }) => application_id);
  }
}
