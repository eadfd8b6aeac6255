import type { Database } from '../../foundation/storage/index.ts';

const CHANNEL = 'workflow-work';

/** EVENTS: nothing but events of instances. */
type ToDo = 'EVENTS' | 'ANYTHING';

/** Tells every worker that there is something to do for instances of workflows. */
export function workflowsToDo(database: Database, what: ToDo = 'ANYTHING'): void {
  database.notify(CHANNEL, what);
}

export function onWorkflowsToDo(database: Database, listener: (what: string) => void): () => void {
  return database.listen(CHANNEL, listener);
}
