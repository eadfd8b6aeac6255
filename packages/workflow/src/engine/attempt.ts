import type { ElementInstance } from '../types.ts';
import { Failure } from './failure.ts';
import type { Machine } from './machine.ts';

/** Runs an action on an element. A failure becomes an incident of the element. */
export function attempt(machine: Machine, key: number, action: (element: Readonly<ElementInstance>) => void): void {
  const element = machine.find(key);
  if (element === undefined) return;
  machine.acting = element;
  try {
    action(element);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const failedElement = element.elementId;
    machine.incident(element, error.type, { errorCode: 'WORKFLOW_ERROR', failedElement, message: error.message });
  }
}
