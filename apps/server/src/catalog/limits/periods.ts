/** A day or a month of the calendar, in UTC. */
export interface Period {
  /** Name of the period, as 2026-11-21 or 2026-11. */
  readonly name: string;
  /** Its length in seconds. */
  readonly seconds: number;
  /** Epoch milliseconds at which the next one begins. */
  readonly end: number;
}

export function periodsOf(now: number): { readonly day: Period; readonly month: Period } {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const name = date.toISOString();
  const period = (length: number, start: number, end: number): Period => ({
    name: name.slice(0, length),
    seconds: (end - start) / 1000,
    end,
  });
  return {
    day: period(10, Date.UTC(year, month, day), Date.UTC(year, month, day + 1)),
    month: period(7, Date.UTC(year, month), Date.UTC(year, month + 1)),
  };
}
