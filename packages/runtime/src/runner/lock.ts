import Database from 'better-sqlite3';

/**
 * Takes the lock of a data folder, or returns null when another runner has it. It is held until the process ends, however
 * it ends. Node has no flock(2), and SQLite's exclusive transaction is one (fcntl(2)) that the platform depends on already.
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
