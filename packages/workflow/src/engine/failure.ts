import type { ElementInstance, IncidentType } from '../types.ts';
import type { Machine } from './machine.ts';

/** Why an element cannot go on: becomes an incident of it. Nothing that it stands before has been changed yet. */
export class Failure extends Error {
  readonly type: IncidentType;

  constructor(type: IncidentType, message: string) {
    super(message);
    this.type = type;
  }
}

/** A step that becomes too large to be taken at all: the instance has to be given up. */
export class Runaway extends Error {
  readonly elementId: string;

  constructor(elementId: string, message: string) {
    super(message);
    this.elementId = elementId;
  }
}

/** Does something with an element, and makes a failure its incident. */
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
