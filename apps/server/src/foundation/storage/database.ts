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
   * Runs `work` in a transaction. Resolves once it is durable (synced to disk); rejects, with nothing kept, when `work` throws.
   * `work` does database work only: on SQLite it holds the one writer while it runs, and shares its commit with the
   * writes that wait beside it (group commit).
   */
  write<T>(work: (transaction: Queries) => Promise<T>): Promise<T>;
  /**
   * Writes what `add` adds, in a transaction, as `write` does. On PostgreSQL that is nearly always one statement, which is a
   * transaction by itself: its beginning and its end need not be said.
   */
  writeBatch(add: (together: StatementBatch) => void): Promise<void>;
  /**
   * Compiles a query once, for the few that are asked more than anything else. The parameters are those of the compiled
   * query, in its order. On SQLite the rows are there at once, without a promise: 3 µs against 23 µs through `read`.
   */
  prepare<Row>(query: Compilable<Row>): (parameters: readonly unknown[]) => readonly Row[] | Promise<readonly Row[]>;
  /** Tells every process on this database. The payload is a short string, such as an id; delivery is not guaranteed. */
  notify(channel: string, payload: string): void;
  /** Calls `listener` for notifications of all processes, this one included; returns the way to end it. */
  listen(channel: string, listener: (payload: string) => void): () => void;
  /**
   * Sees to it that nothing of what was deleted before lies in the files of SQLite, soon: the log is emptied between two
   * commits. Does nothing on PostgreSQL, whose server keeps its files.
   */
  overwriteDeleted(): Promise<void>;
  /** The pool of this process; only where there is one. */
  connections?(): { readonly total: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}

/** Whether `error` is a violated unique constraint, on either database. */
export function isDuplicate(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || code === '23505';
}

/** Of PostgreSQL: the connection, its resources, and what an operator does to it. Of a file: whoever holds it, and its disk. */
const OUTAGES =
  /^(08...|53...|57P0.|25P0[23]|55P03|E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN|NOSPC|DQUOT)|SQLITE_(BUSY|FULL|IOERR|CANTOPEN).*)$/;

/** Whether `error` says that the database or the disk is away, not that something was wrong with what it was asked. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && OUTAGES.test(error.code)) return true;
  // Errors of the driver itself, without a code; several addresses of one name end as an AggregateError.
  return (
    /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/.test(
      error.message,
    ) ||
    (error instanceof AggregateError && error.errors.some(isOutage))
  );
}
