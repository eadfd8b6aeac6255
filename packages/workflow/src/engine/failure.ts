import type { IncidentType } from '../types.ts';

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
