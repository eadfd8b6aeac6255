import { EventEmitter, once } from 'node:events';
import type { Database } from '../../../foundation/storage/index.ts';

export const PENDING = 'build-pending';
export const CHANGED = 'build-changed';

/** Wakes the build workers of every process. */
export function buildPending(database: Database): void {
  database.notify(PENDING, '');
}

/** Notifies every process that a build has changed. */
export function buildChanged(database: Database, id: string): void {
  database.notify(CHANGED, id);
}

/** Calls back with the id of a build that has changed. Returns a function that ends this. */
export function onBuildsChanged(database: Database, listener: (id: string) => void): () => void {
  return database.listen(CHANGED, listener);
}

/** Resolves when the build may have changed, at the latest after `milliseconds`, and never later than a second. */
export async function onBuildChanged(database: Database, id: string, milliseconds: number): Promise<void> {
  const changes = new EventEmitter();
  const stop = database.listen(CHANGED, (changed) => void (changed === id && changes.emit('changed')));
  const limit = AbortSignal.timeout(Math.min(milliseconds, 1_000));
  try {
    await once(changes, 'changed', { signal: limit }).catch((error: unknown) => {
      if (!limit.aborted) throw error;
    });
  } finally {
    stop();
  }
}
