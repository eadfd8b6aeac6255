import { ExactNumber } from '../../data/exact-json.ts';
import { textOf } from '../../viewers/shape.ts';

/** A place in two values, with the text that stands there; null where one of them has nothing. */
export interface Difference {
  readonly path: string;
  readonly first: string | null;
  readonly second: string | null;
}

/** Places that are listed at most. */
export const MOST = 500;
/** Places that are visited at most. */
const MOST_VISITS = 200_000;

/** Differences of two JSON values, in the order of the first, down to MOST places. Numbers are compared by their digits. */
export function differencesOf(first: unknown, second: unknown): readonly Difference[] {
  const found: Difference[] = [];
  let visits = 0;
  const open: (readonly [path: string, first: unknown, second: unknown])[] = [['', first, second]];
  while (open.length > 0 && found.length < MOST && visits < MOST_VISITS) {
    const next = open.pop();
    if (!next) break;
    const [path, one, other] = next;
    visits++;
    const members = membersOf(one);
    const others = membersOf(other);
    if (members && others && Array.isArray(one) === Array.isArray(other)) {
      const names = [...new Set([...members.keys(), ...others.keys()])];
      for (const name of names.toReversed())
        open.push([
          Array.isArray(one) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`,
          members.get(name),
          others.get(name),
        ]);
    } else {
      const texts = { first: textAt(one), second: textAt(other) };
      if (texts.first !== texts.second) found.push({ path, ...texts });
    }
  }
  return found;
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return null;
  return new Map(Object.entries(value));
}

function textAt(value: unknown): string | null {
  if (value === undefined) return null;
  return value === null ? 'null' : textOf(value).slice(0, 500);
}
