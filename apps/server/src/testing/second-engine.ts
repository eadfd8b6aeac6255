import { AccessDirectory } from '../catalog/access/index.ts';
import { openDatabase } from '../foundation/storage/index.ts';
import { createWorkflows, WorkflowEngine } from '../running/workflows/index.ts';
import type { TestKethub } from './kethub.ts';

/** The workflow engine of a second worker on the same PostgreSQL; null on SQLite, which has one process. */
export async function startSecondEngine({ kethub }: TestKethub): Promise<{ close(): Promise<void> } | null> {
  const { platform } = kethub;
  const { databaseUrl } = platform.configuration;
  if (databaseUrl === null) return null;
  const database = await openDatabase({ databaseUrl, sqliteFile: '' });
  const own = { ...platform, database, workerId: platform.newId() };
  const directory = new AccessDirectory(own);
  const engine = new WorkflowEngine(own, createWorkflows(own), directory);
  engine.start();
  return {
    async close() {
      await engine.stop();
      directory.close();
      await database.close();
    },
  };
}
