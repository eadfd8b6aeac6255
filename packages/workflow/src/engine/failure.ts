import type { IncidentType } from '../types.ts';

/** A failure of an element, which becomes an incident. Nothing after it has been changed yet. */
export class Failure extends Error {
  readonly type: IncidentType;

  constructor(type: IncidentType, message: string) {
    super(message);
    this.type = type;
  }
}

/** Thrown by a step that is too large to be finished: the instance has to be given up. */
export class Runaway extends Error {
  readonly elementId: string;

  constructor(elementId: string, message: string) {
    super(message);
    this.elementId = elementId;
  }
}
