import type { Value } from './value.ts';

/**
 * A range. An end that was not given is undefined; one that is null was given as null, so that `(< 10)` and
 * `(null..10)` differ (DMN 1.5, 10.3.2.7). `(= 10)` and `(!= 10)` are ranges whose ends are both 10.
 */
export class FeelRange {
  readonly start: Value | undefined;
  readonly startIncluded: boolean;
  readonly end: Value | undefined;
  readonly endIncluded: boolean;
  readonly relation: 'within' | 'equal' | 'unequal';

  constructor(
    start: Value | undefined,
    startIncluded: boolean,
    end: Value | undefined,
    endIncluded: boolean,
    relation: 'within' | 'equal' | 'unequal' = 'within',
  ) {
    this.start = start;
    this.startIncluded = startIncluded;
    this.end = end;
    this.endIncluded = endIncluded;
    this.relation = relation;
  }
}
