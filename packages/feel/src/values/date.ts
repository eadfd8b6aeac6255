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
