/** From one code point to another, both included. */
type Interval = readonly [number, number];

const LAST = 0x10_ff_ff;
const SUBTRACTION = /\\[^]|\[(\^?)((?:\\[^]|[^[\]\\])+)-\[(\^?)((?:\\[^]|[^[\]\\])+)\]\]/gu;
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * Writes the difference of two character classes, `[a-z-[aeiou]]` (XML Schema part 2, appendix F), as the one class
 * that RE2 understands. Classes with escapes for many characters, such as `\d`, stay as they are.
 */
export function withoutSubtractions(pattern: string): string {
  if (!pattern.includes('-[')) return pattern;
  return pattern.replace(SUBTRACTION, (whole, not?: string, from?: string, notLess?: string, less?: string) => {
    if (from === undefined || less === undefined) return whole;
    const kept = intervalsOf(from);
    const removed = intervalsOf(less);
    if (!kept || !removed) return whole;
    const left = not ? complement(kept) : kept;
    return written(complement([...complement(left), ...(notLess ? complement(removed) : removed)]));
  });
}

/** Null if an escape stands for more than one character. */
function intervalsOf(body: string): Interval[] | null {
  const characters = body.match(/\\[^]|[^]/gu) ?? [];
  const points = characters.map(pointOf);
  const intervals: Interval[] = [];
  for (let at = 0; at < characters.length; at++) {
    const from = points[at];
    const isRange = characters[at + 1] === '-' && at + 2 < characters.length;
    const to = points[isRange ? at + 2 : at];
    if (from === null || from === undefined || to === null || to === undefined || to < from) return null;
    intervals.push([from, to]);
    if (isRange) at += 2;
  }
  return intervals;
}

function pointOf(character: string): number | null {
  if (character.length === 1 || !character.startsWith('\\')) return character.codePointAt(0) ?? null;
  const escaped = character.slice(1);
  if (/[a-z0-9]/i.test(escaped)) return CONTROLS[escaped]?.codePointAt(0) ?? null;
  return escaped.codePointAt(0) ?? null;
}

function complement(intervals: readonly Interval[]): Interval[] {
  const gaps: Interval[] = [];
  let next = 0;
  for (const [from, to] of intervals.toSorted((left, right) => left[0] - right[0])) {
    if (from > next) gaps.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= LAST) gaps.push([next, LAST]);
  return gaps;
}

function written(intervals: readonly Interval[]): string {
  const point = (code: number): string => `\\x{${code.toString(16)}}`;
  if (intervals.length === 0) return `[^${point(0)}-${point(LAST)}]`;
  return `[${intervals.map(([from, to]) => `${point(from)}-${point(to)}`).join('')}]`;
}
