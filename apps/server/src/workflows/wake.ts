import type { Database } from '../storage/index.ts';

const CHANNEL = 'workflow-work';

/** Tells every worker that there is something to do for instances of workflows. */
export function workflowsToDo(database: Database): void {
  database.notify(CHANNEL, '');
}

export function onWorkflowsToDo(database: Database, listener: () => void): () => void {
  return database.listen(CHANNEL, listener);
}
