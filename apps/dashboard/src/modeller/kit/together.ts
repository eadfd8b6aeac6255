import type { Diagram, Kit, Services } from './types.ts';

const COMMAND = 'kethub.together';

/** Makes the command known with which several changes become one step of undo. */
export function allowTogether(modeler: Diagram): void {
  const stack = modeler.get('commandStack') as Services['commandStack'];
  // Changes that a command makes before itself belong to it: they are undone and redone with it.
  stack.register(COMMAND, { preExecute: ({ change }) => (change as () => void)() });
}

/** Makes several changes as one step of undo, and returns what they return. */
export function together<T>(kit: Kit, change: () => T): T {
  const made: T[] = [];
  kit.service('commandStack').execute(COMMAND, { change: () => void made.push(change()) });
  return made[0] as T;
}
