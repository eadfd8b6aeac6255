import type { Value } from './value.ts';

/** A range; a missing end is `undefined`. */
export class FeelRange {
  readonly start: Value | undefined;
  readonly startIncluded: boolean;
  readonly end: Value | undefined;
  readonly endIncluded: boolean;

  constructor(start: Value | undefined, startIncluded: boolean, end: Value | undefined, endIncluded: boolean) {
    this.start = start;
    this.startIncluded = startIncluded;
    this.end = end;
    this.endIncluded = endIncluded;
  }
}
