/**
 * Formats epoch milliseconds as `yyyy-MM-dd HH:mm:ss` in UTC, the form of all times in the interface except in logs.
 */
export function toTimestamp(epochMs: number): string {
  const second = Math.floor(epochMs / 1000);
  const known = cached.get(second);
  if (known !== undefined) return known;
  const text = new Date(second * 1000).toISOString().slice(0, 19).replace('T', ' ');
  if (cached.size >= MOST_CACHED) cached.clear();
  cached.set(second, text);
  return text;
}

/** Formatted seconds. Polling formats the same ones again and again, and a look-up takes a tenth of the time. */
const cached = new Map<number, string>();
const MOST_CACHED = 1_000;

/** Epoch milliseconds of a `yyyy-MM-dd HH:mm:ss` in UTC, or null if there is no such time (2026-02-30, 25:00:00). */
export function fromTimestamp(text: string): number | null {
  const epochMs = Date.parse(`${text.replace(' ', 'T')}Z`);
  return !Number.isNaN(epochMs) && toTimestamp(epochMs) === text ? epochMs : null;
}

/** Formats epoch milliseconds as the date `yyyy-MM-dd` in UTC. */
export function toDate(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/** The last millisecond (epoch, UTC) of a date `yyyy-MM-dd`, or null if there is no such day (2026-02-30). */
export function endOfDay(date: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return null;
  const start = Date.parse(`${date}T00:00:00.000Z`);
  if (Number.isNaN(start) || toDate(start) !== date) return null;
  return start + 86_400_000 - 1;
}
