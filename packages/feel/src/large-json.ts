import type { JsonValue } from './values/value.ts';

/** What is known of a large list or object since it was read from its text. */
export interface LargeJson {
  /** Its JSON text. May be made when it is asked for. */
  readonly text: string;
  /** Lists and objects within each other, itself included. */
  readonly levels: number;
}

const known = new WeakMap<object, LargeJson>();

/**
 * Remembers the text of a large value as long as the value lives. Values never change, so whoever needs the text or the depth
 * does not walk the value again: that would take hundreds of milliseconds of the thread.
 */
export function rememberText(value: object, large: LargeJson): void {
  known.set(value, large);
}

/** What is known of a value; undefined for a small one, and for one that was computed. */
export function largeJson(value: unknown): LargeJson | undefined {
  return typeof value === 'object' && value !== null ? known.get(value) : undefined;
}

/** How many values are looked at to find a large one: these stand near the root. */
const LOOKS = 2_000;

/** JSON of a value, in which the texts of large values stand as they were read. */
export function jsonText(value: unknown): string {
  return holdsLarge(value, { left: LOOKS }) ? splicedText(value) : JSON.stringify(value);
}

/** An object in whose place {@link jsonText} writes a text. Nothing else can be done with it. */
export function textOnly(text: string): { readonly [name: string]: JsonValue } {
  const value = {};
  rememberText(value, { text, levels: 1 });
  return value;
}

function holdsLarge(value: unknown, looks: { left: number }): boolean {
  if (typeof value !== 'object' || value === null || looks.left <= 0) return false;
  if (known.has(value)) return true;
  for (const name in value) {
    if ((looks.left -= 1) < 0) return false;
    if (Object.hasOwn(value, name) && holdsLarge((value as Record<string, unknown>)[name], looks)) return true;
  }
  return false;
}

function splicedText(value: unknown): string {
  const large = largeJson(value);
  if (large) return large.text;
  if (Array.isArray(value))
    return `[${value.map((item: unknown) => (item === undefined ? 'null' : jsonText(item))).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`).join(',')}}`;
}
