/** A fixed offset from UTC in seconds, or the name of a zone of the IANA database. */
export type Zone = number | string;

/** A day of the proleptic Gregorian calendar; years from -999999999 to 999999999. */
export class FeelDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;

  constructor(year: number, month: number, day: number) {
    this.year = year;
    this.month = month;
    this.day = day;
  }
}

/** A time of day; without a zone it is local to nowhere. */
export class FeelTime {
  readonly nanosecondOfDay: number;
  readonly zone: Zone | null;

  constructor(nanosecondOfDay: number, zone: Zone | null) {
    this.nanosecondOfDay = nanosecondOfDay;
    this.zone = zone;
  }
}

/** A date and a time of day; an instant only if the time has a zone. */
export class FeelDateTime {
  readonly date: FeelDate;
  readonly time: FeelTime;

  constructor(date: FeelDate, time: FeelTime) {
    this.date = date;
    this.time = time;
  }
}

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
