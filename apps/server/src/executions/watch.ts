import { EventEmitter } from 'node:events';
import type { Database } from '../storage/index.ts';

const CHANNEL = 'execution-changed';
/** A notification can be lost (another process, a reconnect): then this poll finds the change. */
const POLL_MS = 1_000;

/** Tells every process that the status of an execution has changed. */
export function executionChanged(database: Database, id: string): void {
  database.notify(CHANNEL, id);
}

/** Calls back with the id of an execution whose status some process has changed; returns the way to end it. */
export function onExecutionChanged(database: Database, listener: (id: string) => void): () => void {
  return database.listen(CHANNEL, listener);
}

/** Waiting for executions to change: one listener on the database, whatever the number of waiters. */
export interface ExecutionWatch {
  /** Resolves when the execution may have changed, at the latest after a second or when `signal` aborts. */
  changed(id: string, signal: AbortSignal): Promise<void>;
  close(): void;
}

export function watchExecutions(database: Database): ExecutionWatch {
  const waiters = new EventEmitter();
  waiters.setMaxListeners(0);
  const stop = onExecutionChanged(database, (id) => void waiters.emit(id));
  return {
    // Without signals of its own (`AbortSignal.any`, `AbortSignal.timeout`): they outlive the wait, and so many of them are
    // most of what the garbage collector has to stop everything for.
    changed: (id, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          waiters.off(id, done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, signal.aborted ? 0 : POLL_MS);
        waiters.on(id, done);
        signal.addEventListener('abort', done);
      }),
    close: stop,
  };
}
