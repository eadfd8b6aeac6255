import { EventEmitter } from 'node:events';
import type { Database } from '../../foundation/storage/index.ts';
import { seenColumns, type SeenRow } from './queries.ts';
import { hasNoWayOut } from './transition.ts';

const CHANNEL = 'execution-changed';
/** Milliseconds between polls, which find a change whose notification was lost (another process, a reconnect). */
const POLL_MS = 1_000;

/**
 * Notifies every process that the status of an execution has changed. A `row` with a final status is published as well,
 * so that those who wait for it need not read it. {@link onExecutionChanged} gets it; for jobs of workflows this is
 * hand-over 2 of the state chart in workflows/engine.ts.
 */
export function executionChanged(database: Database, id: string, row?: SeenRow): void {
  if (!row || !hasNoWayOut(row.status)) return database.notify(CHANNEL, id);
  const seen = Object.fromEntries(seenColumns.map((column) => [column, row[column]]));
  database.notify(CHANNEL, `${id} ${JSON.stringify(seen)}`);
}

/**
 * Calls back with the id of an execution whose status some process has changed, and with its row if that was published.
 * Returns a function that ends this.
 */
export function onExecutionChanged(
  database: Database,
  listener: (id: string, published: () => SeenRow | null) => void,
): () => void {
  return database.listen(CHANNEL, (payload) => {
    const space = payload.indexOf(' ');
    if (space < 0) listener(payload, () => null);
    // Written by executionChanged.
    else listener(payload.slice(0, space), () => JSON.parse(payload.slice(space + 1)) as SeenRow);
  });
}

/** Waits for executions to change, with one listener on the database for all waiters. */
export interface ExecutionWatch {
  /**
   * Resolves when the execution may have changed, at the latest after a second or when `signal` aborts. The value is
   * its row if that was published, otherwise null.
   */
  changed(id: string, signal: AbortSignal): Promise<SeenRow | null>;
  close(): void;
}

export function watchExecutions(database: Database): ExecutionWatch {
  const waiters = new EventEmitter();
  waiters.setMaxListeners(0);
  const stop = onExecutionChanged(database, (id, published) => void waiters.emit(id, published));
  return {
    // No `AbortSignal.any` or `AbortSignal.timeout` here: they outlive the wait, and so many of them would cause most
    // of the pauses of the garbage collector.
    changed: (id, signal) =>
      new Promise((resolve) => {
        const done = (row: SeenRow | null): void => {
          clearTimeout(timer);
          waiters.off(id, notify);
          signal.removeEventListener('abort', end);
          resolve(row);
        };
        const end = (): void => done(null);
        const notify = (published: () => SeenRow | null): void => done(published());
        const timer = setTimeout(end, signal.aborted ? 0 : POLL_MS);
        waiters.on(id, notify);
        signal.addEventListener('abort', end);
      }),
    close: stop,
  };
}
