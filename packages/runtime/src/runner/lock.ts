import Database from 'better-sqlite3';

/**
 * Takes the lock of a data folder, or returns null when another runner has it. The lock lasts until the process ends,
 * however it ends. Node has no flock(2). SQLite's exclusive transaction is a lock (fcntl(2)), and the platform depends
 * on SQLite already.
 */
export function takeLock(path: string): { release: () => void } | null {
  const database = new Database(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') return null;
    throw error;
  }
  return {
    release() {
      database.close();
    },
  };
}
