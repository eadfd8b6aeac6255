import { EventEmitter } from 'node:events';
import type { Database } from '../../foundation/storage/index.ts';
import { seenColumns, type SeenRow } from './queries.ts';
import { hasNoWayOut } from './transition.ts';

const CHANNEL = 'execution-changed';
/** A notification can be lost (another process, a reconnect): then this poll finds the change. */
const POLL_MS = 1_000;

/**
 * Tells every process that the status of an execution has changed. With `row`, what it has become: when nothing changes that
 * any more, whoever waits for it need not read it.
 */
export function executionChanged(database: Database, id: string, row?: SeenRow): void {
  if (!row || !hasNoWayOut(row.status)) return database.notify(CHANNEL, id);
  const seen = Object.fromEntries(seenColumns.map((column) => [column, row[column]]));
  database.notify(CHANNEL, `${id} ${JSON.stringify(seen)}`);
}

/**
 * Calls back with the id of an execution whose status some process has changed, and what it has become if that was told;
 * returns the way to end it.
 */
export function onExecutionChanged(
  database: Database,
  listener: (id: string, told: () => SeenRow | null) => void,
): () => void {
  return database.listen(CHANNEL, (payload) => {
    const space = payload.indexOf(' ');
    if (space < 0) listener(payload, () => null);
    // Written by executionChanged.
    else listener(payload.slice(0, space), () => JSON.parse(payload.slice(space + 1)) as SeenRow);
  });
}

/** Waiting for executions to change: one listener on the database, whatever the number of waiters. */
export interface ExecutionWatch {
  /**
   * Resolves when the execution may have changed, at the latest after a second or when `signal` aborts: with what it has
   * become where that was told, and else with null.
   */
  changed(id: string, signal: AbortSignal): Promise<SeenRow | null>;
  close(): void;
}

export function watchExecutions(database: Database): ExecutionWatch {
  const waiters = new EventEmitter();
  waiters.setMaxListeners(0);
  const stop = onExecutionChanged(database, (id, told) => void waiters.emit(id, told));
  return {
    // Without signals of its own (`AbortSignal.any`, `AbortSignal.timeout`): they outlive the wait, and so many of them are
    // most of what the garbage collector has to stop everything for.
    changed: (id, signal) =>
      new Promise((resolve) => {
        const done = (row: SeenRow | null): void => {
          clearTimeout(timer);
          waiters.off(id, tell);
          signal.removeEventListener('abort', end);
          resolve(row);
        };
        const end = (): void => done(null);
        const tell = (told: () => SeenRow | null): void => done(told());
        const timer = setTimeout(end, signal.aborted ? 0 : POLL_MS);
        waiters.on(id, tell);
        signal.addEventListener('abort', end);
      }),
    close: stop,
  };
}
