import { RE2JS } from 're2js';
import { cost } from '../cost.ts';
import type { CallSite } from '../evaluate/call-site.ts';
import type { Run } from '../evaluate/run.ts';
import { Matches } from './matches.ts';
import { sizeOf } from './pattern-size.ts';
import { withoutSubtractions } from './character-classes.ts';
import { withWideEscapes } from './class-escapes.ts';
import type { Value } from '../values/value.ts';

// Regular expressions in linear time (RE2): neither look-around nor back-references. The flags are those of XPath 3.1,
// 5.6.2, and Java. s: the dot matches line ends; m: ^ and $ match at lines; i: case; x: spaces do not count.

const LONGEST_PATTERN = 10_000;
const MOST_PATTERNS = 200;
const patterns = new Map<string, RE2JS | null>();

const FLAGS: Readonly<Record<string, number>> = {
  s: RE2JS.DOTALL,
  m: RE2JS.MULTILINE,
  i: RE2JS.CASE_INSENSITIVE,
  x: 0,
};

function compilePattern(pattern: string, flags: string): RE2JS | null {
  const key = `${flags}/${pattern}`;
  const known = patterns.get(key);
  if (known !== undefined) return known;
  const made = tryCompile(pattern, flags);
  if (patterns.size >= MOST_PATTERNS) patterns.clear();
  patterns.set(key, made);
  return made;
}

function tryCompile(pattern: string, flags: string): RE2JS | null {
  let mask = 0;
  for (const flag of flags) {
    if (!Object.hasOwn(FLAGS, flag)) return null;
    mask |= FLAGS[flag] ?? 0;
  }
  try {
    const tight = flags.includes('x') ? withoutSpaces(pattern) : pattern;
    const wide = withWideEscapes(withoutSubtractions(tight), {
      ignoresCase: flags.includes('i'),
      dotAll: flags.includes('s'),
    });
    return wide === null ? null : RE2JS.compile(wide, mask);
  } catch {
    return null;
  }
}

/**
 * Under the flag x, spaces outside of character classes do not count, not even behind a backslash (XPath 3.1, 5.6.2).
 */
function withoutSpaces(pattern: string): string {
  return pattern.replace(/\\\S|\[(?:\\[^]|[^\]\\])*(?:\]|$)|\s+/g, (part) => (/^\s/.test(part) ? '' : part));
}

/** Patterns whose compilation each evaluation has paid for. */
const paidBy = new WeakMap<Run, Set<string>>();

/** A matcher that spends steps for each character read, or null with a warning. */
function start(call: CallSite, input: string, pattern: string, flags: string): Matches | null {
  if (pattern.length > LONGEST_PATTERN) return call.fail(`the pattern is longer than ${LONGEST_PATTERN} characters.`);
  call.meter.limitText(input.length);
  const paid = paidBy.get(call.run) ?? new Set();
  paidBy.set(call.run, paid);
  const key = `${flags}/${pattern}`;
  // Counted even if another evaluation has compiled it: the same expression costs the same each time.
  if (!paid.has(key)) call.spend(cost.pattern + cost.patternPart * sizeOf(pattern, flags));
  paid.add(key);
  const compiled = compilePattern(pattern, flags);
  if (!compiled)
    return call.fail('the pattern or its flags cannot be used; look-around and back-references are not supported.');
  return new Matches(call, compiled, input);
}

export function matches(call: CallSite, input: string, pattern: string, flags?: string | null): Value {
  const matcher = start(call, input, pattern, flags ?? '');
  return matcher && matcher.find();
}

export function replace(
  call: CallSite,
  input: string,
  pattern: string,
  replacement: string,
  flags?: string | null,
): Value {
  const matcher = start(call, input, pattern, flags ?? '');
  if (!matcher) return null;
  const template = parseReplacement(replacement, matcher.groups);
  if (!template)
    return call.fail(
      'in a replacement a "$" stands before the number of a group, and a backslash before "$" or a backslash.',
    );
  const pieces: string[] = [];
  let length = 0;
  let end = 0;
  const write = (piece: string): void => {
    length += piece.length;
    call.meter.limitText(length);
    if (piece) pieces.push(piece);
  };
  for (const match of matcher) {
    write(input.slice(end, match.start()));
    call.spend(template.length);
    for (const part of template) write(typeof part === 'string' ? part : (match.group(part) ?? ''));
    end = match.end();
  }
  write(input.slice(end));
  call.meter.text(length);
  return pieces.join('');
}

/** Texts and numbers of groups. A group that does not exist is empty, as in XPath. Null if it is wrong. */
function parseReplacement(replacement: string, groups: number): (string | number)[] | null {
  const parts: (string | number)[] = [];
  for (const [part] of replacement.matchAll(/\\[\\$]|\$\d*|[^\\$]+|\\/g)) {
    if (part === '$' || part === '\\') return null;
    if (!part.startsWith('$')) {
      parts.push(part.startsWith('\\') && part.length > 1 ? part.slice(1) : part);
      continue;
    }
    let digits = part.slice(1);
    while (digits.length > 1 && Number(digits) > groups) digits = digits.slice(0, -1);
    parts.push(Number(digits) <= groups ? Number(digits) : '', part.slice(1 + digits.length));
  }
  return parts;
}

export function split(call: CallSite, string: string, delimiter: string): Value {
  const matcher = start(call, string, delimiter, '');
  if (!matcher) return null;
  const pieces: string[] = [];
  let end = 0;
  for (const match of matcher) {
    // An empty match at the start splits off nothing, as in Java.
    if (match.end() === 0) continue;
    call.meter.limitList(pieces.length + 2);
    pieces.push(string.slice(end, match.start()));
    end = match.end();
  }
  pieces.push(string.slice(end));
  return pieces;
}

export function extract(call: CallSite, input: string, pattern: string): Value {
  const matcher = start(call, input, pattern, '');
  if (!matcher) return null;
  const found: string[] = [];
  for (const match of matcher) {
    call.meter.limitList(found.length + 1);
    found.push(match.group() ?? '');
  }
  return found;
}
