import type { Database } from '../../foundation/storage/index.ts';

const CHANNEL = 'access-changed';
const EVERY_APPLICATION = '*';

/** Notifies all processes that the access of an application has changed; '*' stands for any application. */
export function accessChanged(database: Database, applicationId: string = EVERY_APPLICATION): void {
  database.notify(CHANNEL, applicationId);
}

/** Calls back with the id of an application whose access has changed, or null when it may be any. */
export function onAccessChanged(database: Database, listener: (applicationId: string | null) => void): () => void {
  return database.listen(CHANNEL, (payload) => listener(payload === EVERY_APPLICATION ? null : payload));
}
