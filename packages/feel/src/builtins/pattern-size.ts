/**
 * Instructions of a class with the characters of all scripts: it is written out as hundreds of ranges, with all their
 * cases.
 */
const WIDE = 30;
const WIDE_WITH_CASES = 1500;
const IGNORES_CASE = /\(\?[a-z]*i/;
const IS_WIDE = /\\[iIcCwWdDsSpP]/;

/**
 * Estimates the number of instructions of a pattern before it is compiled: each character, multiplied by counted
 * repetitions. Classes count more, because they take longer to compile.
 */
export function sizeOf(pattern: string, flags: string): number {
  const wide = flags.includes('i') || IGNORES_CASE.test(pattern) ? WIDE_WITH_CASES : WIDE;
  const open: number[] = [];
  let size = 0;
  let last = 0;
  const add = (more: number): void => {
    last = more;
    size += more;
  };
  for (const [token, repeat] of tokensOf(pattern)) {
    if (token === '(') {
      open.push(size);
      size = 0;
    } else if (token === ')') {
      const inner = size;
      size = open.pop() ?? 0;
      add(inner + 2);
    } else if (repeat > 0) {
      size += last * (repeat - 1);
      last *= repeat;
    } else add((IS_WIDE.test(token) ? wide : 0) + token.length);
  }
  return Math.ceil(open.reduce((sum, outer) => sum + outer, size));
}

/**
 * In linear time, also of a class that has no end: escapes, classes, counted repetitions and single characters; of a
 * repetition how often at most.
 */
function* tokensOf(pattern: string): Iterable<readonly [string, number]> {
  for (const [token, least, most] of pattern.matchAll(
    /\\[pP]\{[^}]*(?:\}|$)|\\[^]|\[(?:\\[^]|[^\]\\])*(?:\]|$)|\{(\d+)(?:,(\d*))?\}|[^]/g,
  )) {
    yield [token, least === undefined ? 0 : Math.max(Number(least), Number(most ?? 0), 1)];
  }
}
