import type { Database } from '../../foundation/storage/index.ts';

const CHANNEL = 'workflow-work';

/** EVENTS: there are only events of instances. */
type ToDo = 'EVENTS' | 'ANYTHING';

/** Notifies every worker that there is work for workflow instances. */
export function workflowsToDo(database: Database, what: ToDo = 'ANYTHING'): void {
  database.notify(CHANNEL, what);
}

export function onWorkflowsToDo(database: Database, listener: (what: string) => void): () => void {
  return database.listen(CHANNEL, listener);
}
