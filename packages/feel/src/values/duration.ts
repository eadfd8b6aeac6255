/** A duration of days and time, exact to the nanosecond. */
export class DaysDuration {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

/** A duration of years and months. */
export class MonthsDuration {
  readonly months: number;

  constructor(months: number) {
    this.months = months;
  }
}
