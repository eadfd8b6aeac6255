/** Name of the database of this browser that keeps changed files, see kept-files.ts. */
export const KEPT_FILES = 'kethub-files';

/** Forgets every changed file that this browser keeps, when a person signs out. */
export function forgetAllFiles(): void {
  try {
    indexedDB.deleteDatabase(KEPT_FILES);
  } catch {
    // A browser without a database has kept nothing.
  }
}
