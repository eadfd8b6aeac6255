import { sql } from 'kysely';
import type { Database } from '../../foundation/storage/index.ts';

/** Milliseconds after which a change is deleted. */
const KEPT_MS = 60 * 60 * 1000;

/**
 * Reads the ids of applications whose rights have changed. Triggers write this log in the transaction of the change, so
 * no change is missed, even if its notification is lost.
 */
export class AccessChangeLog {
  readonly #database: Database;
  /** SQLite: number of the last change that was read. PostgreSQL: the first transaction that may add more. */
  #cursor: string | null = null;
  /** PostgreSQL: numbers of the changes that were read from `#cursor` on. */
  #seen = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Ids of the applications changed since the last call. The first call sets the starting point and returns none. */
  read(): Promise<string[]> {
    return this.#database.dialect === 'sqlite' ? this.#readInOrder() : this.#readByTransaction();
  }

  /** Deletes changes older than an hour, which every process has read. */
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
    if (this.#cursor === null) {
      const { rows } = await sql<{ last: number | null }>`select max(number) as last from access_changes`.execute(read);
      this.#cursor = String(rows[0]?.last ?? 0);
      return [];
    }
    const changes = await read
      .selectFrom('access_changes')
      .select(['number', 'application_id'])
      .where('number', '>', Number(this.#cursor))
      .orderBy('number')
      .execute();
    this.#cursor = String(changes.at(-1)?.number ?? this.#cursor);
    return changes.map((change) => change.application_id);
  }

  /** Changes of transactions before the horizon are all visible to the statement that reads the horizon. */
  async #readByTransaction(): Promise<string[]> {
    const from = this.#cursor;
    const { rows } = await sql<{ horizon: string; number: string | null; application_id: string | null }>`
      select horizon::text as horizon, number::text as number, application_id
      from (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon) as now
      left join access_changes on transaction_id >= coalesce(${from}::bigint, horizon)`.execute(this.#database.read);
    this.#cursor = rows[0]?.horizon ?? from;
    const changes = rows.flatMap(({ number, application_id }) =>
      number === null || application_id === null ? [] : [{ number, application_id }],
    );
    const before = this.#seen;
    this.#seen = new Set(changes.map(({ number }) => number));
    if (from === null) return [];
    return changes.filter(({ number }) => !before.has(number)).map(({ application_id }) => application_id);
  }
}
