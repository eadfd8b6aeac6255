import type { JsonValue } from './values/value.ts';

/** Facts about a large list or object that was read from its text. */
interface LargeJson {
  /** Its JSON text. May be made when it is asked for. */
  readonly text: string;
  /** Lists and objects within each other, itself included. */
  readonly levels: number;
}

const known = new WeakMap<object, LargeJson>();

/**
 * Stores the text of a large value as long as the value lives. Values never change, so nobody who needs the text or the
 * depth walks the value again: that would take hundreds of milliseconds of the thread.
 */
export function rememberText(value: object, large: LargeJson): void {
  known.set(value, large);
}

/** The facts about a value; undefined for a small one, and for one that was computed. */
export function largeJson(value: unknown): LargeJson | undefined {
  return typeof value === 'object' && value !== null ? known.get(value) : undefined;
}

/** Number of values that are searched for a large one. Large values are near the root; further ones are not found. */
const LOOKS = 2_000;

/** The JSON of a value, with the original texts of large values. */
export function jsonText(value: unknown): string {
  return containsLarge(value, { left: LOOKS }) ? splicedText(value) : JSON.stringify(value);
}

/** An object in whose place {@link jsonText} writes a text. Nothing else can be done with it. */
export function textOnly(text: string): { readonly [name: string]: JsonValue } {
  const value = {};
  rememberText(value, { text, levels: 1 });
  return value;
}

function containsLarge(value: unknown, looks: { left: number }): boolean {
  if (typeof value !== 'object' || value === null || looks.left <= 0) return false;
  if (known.has(value)) return true;
  for (const name in value) {
    if ((looks.left -= 1) < 0) return false;
    if (Object.hasOwn(value, name) && containsLarge((value as Record<string, unknown>)[name], looks)) return true;
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
