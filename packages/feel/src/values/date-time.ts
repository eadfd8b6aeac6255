import type { FeelDate } from './date.ts';
import type { FeelTime } from './time.ts';

/** A date and a time of day; an instant only if the time has a zone. */
export class FeelDateTime {
  readonly date: FeelDate;
  readonly time: FeelTime;

  constructor(date: FeelDate, time: FeelTime) {
    this.date = date;
    this.time = time;
  }
}
