const SECOND = 1_000;
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', SECOND],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Epoch milliseconds of a time of the API: `yyyy-MM-dd HH:mm:ss` in UTC, or RFC 3339. */
export function parseTime(text: string): number {
  const isPlain = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?$/.test(text);
  return Date.parse(isPlain ? `${text.replace(' ', 'T')}Z` : text);
}

/** For example "3 minutes ago". */
export function relativeTime(at: number, now: number): string {
  const difference = at - now;
  if (Math.abs(difference) < 5 * SECOND) return 'just now';
  const [unit, length] = UNITS.find(([, length]) => Math.abs(difference) >= length) ?? ['second', SECOND];
  return relative.format(Math.round(difference / length), unit);
}

/** For example "1 h 2 min", "3.4 s", "120 ms". */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 60 * SECOND) return `${(ms / SECOND).toFixed(ms < 10 * SECOND ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / SECOND)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** For example "1.5 MB". */
export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  const power = Math.min(4, Math.floor(Math.log2(count) / 10));
  return `${(count / 1024 ** power).toFixed(1)} ${['B', 'KB', 'MB', 'GB', 'TB'][power] ?? ''}`;
}

/** Value of an input of type `datetime-local`, in the time zone of the browser. */
export function toLocalInput(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** A time as the API takes it: `yyyy-MM-dd HH:mm:ss` in UTC. */
export function toApiTime(moment: Date): string {
  return moment.toISOString().slice(0, 19).replace('T', ' ');
}

/** The moment that an input of type `datetime-local` names. */
export function fromLocalInput(value: string): Date {
  return new Date(value);
}
