import type { Compilable } from 'kysely';
import type { Queries } from './dialect.ts';
import type { StatementBatch } from './statement-batch.ts';

export type { Queries };

/** One portable SQL on SQLite (embedded) and PostgreSQL. */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  /** Reads outside of transactions: sees everything that `write` has resolved. */
  readonly read: Queries;
  /**
   * Runs `work` in a transaction. Resolves once the transaction is durable (synced to disk). Rejects, with nothing
   * stored, if `work` throws. `work` may only use the database. On SQLite it occupies the one writer while it runs, and
   * its commit is shared with other waiting writes (group commit).
   */
  write<T>(work: (transaction: Queries) => Promise<T>): Promise<T>;
  /**
   * Runs the statements that `add` adds in a transaction, as `write` does. On PostgreSQL that is nearly always one
   * statement, which is a transaction without `begin` and `commit`.
   */
  writeBatch(add: (batch: StatementBatch) => void): Promise<void>;
  /**
   * Compiles a query once, for the most frequent queries. The parameters are those of the compiled query, in its
   * order. SQLite returns the rows synchronously: 3 µs instead of 23 µs through `read`.
   */
  prepare<Row>(query: Compilable<Row>): (parameters: readonly unknown[]) => readonly Row[] | Promise<readonly Row[]>;
  /**
   * Notifies every process on this database. The payload is a short string, such as an id. Delivery is not
   * guaranteed.
   */
  notify(channel: string, payload: string): void;
  /** Calls `listener` for notifications of all processes, including this one. Returns a function that ends it. */
  listen(channel: string, listener: (payload: string) => void): () => void;
  /**
   * Begins or ceases to receive the notifications of other processes; a process that opens the database receives them.
   * Without them it needs a connection less. Its own notifications reach it in any case. Absent on SQLite.
   */
  setListening?(isListening: boolean): void;
  /**
   * Erases deleted rows from the files of SQLite soon: the write-ahead log is emptied between two commits. Does
   * nothing on PostgreSQL, whose server manages its files.
   */
  overwriteDeleted(): Promise<void>;
  /** State of the connection pool; absent on SQLite. */
  connections?(): { readonly total: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}

/** Returns whether `error` is a violated unique constraint, on either database. */
export function isDuplicate(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || code === '23505';
}

/** PostgreSQL: errors of the connection, of resources and of operator intervention. SQLite: locks and the disk. */
const OUTAGES =
  /^(08...|53...|57P0.|25P0[23]|55P03|E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN|NOSPC|DQUOT)|SQLITE_(BUSY|FULL|IOERR|CANTOPEN).*)$/;

/** Returns whether `error` means that the database or the disk is unavailable, not that the statement was wrong. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && OUTAGES.test(error.code)) return true;
  // Errors of the driver itself, without a code; several addresses of one name end as an AggregateError.
  return (
    /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired)/.test(
      error.message,
    ) ||
    (error instanceof AggregateError && error.errors.some(isOutage))
  );
}
