import { cost, unitsPerStep } from '../cost.ts';
import { FeelSyntaxError } from '../errors.ts';
import type { CallSite } from '../evaluate/call-site.ts';
import { readString } from '../syntax/strings.ts';
import { parseTemporal } from '../temporal/parse.ts';
import { kindOf } from '../values/kind.ts';
import { parseNumber } from '../values/number.ts';
import { order } from '../values/order.ts';
import { FeelRange, type Value } from '../values/value.ts';
import { Builtin, signature } from './builtin.ts';

// The relations of points and ranges (DMN 1.5, table 79). Ends that are not given lie infinitely far away.

class Incomparable extends Error {}

/** The order of two ends. `open` is what an end that is not given counts as: -1 for a start, 1 for an end. */
function distance(left: Value | undefined, leftOpen: 1 | -1, right: Value | undefined, rightOpen: 1 | -1): number {
  if (left === undefined || right === undefined) {
    if (left === undefined && right === undefined) return leftOpen - rightOpen;
    return left === undefined ? leftOpen : -rightOpen;
  }
  const found = order(left, right);
  if (found === null) throw new Incomparable();
  return found;
}

const startToStart = (a: FeelRange, b: FeelRange): number => distance(a.start, -1, b.start, -1);
const endToEnd = (a: FeelRange, b: FeelRange): number => distance(a.end, 1, b.end, 1);
const endToStart = (a: FeelRange, b: FeelRange): number => distance(a.end, 1, b.start, -1);

const point = (value: Value): FeelRange => new FeelRange(value, true, value, true);

function before(a: FeelRange, b: FeelRange): boolean {
  const gap = endToStart(a, b);
  return gap < 0 || (gap === 0 && !(a.endIncluded && b.startIncluded));
}

function meets(a: FeelRange, b: FeelRange): boolean {
  return a.endIncluded && b.startIncluded && a.end !== undefined && endToStart(a, b) === 0;
}

function overlapsBefore(a: FeelRange, b: FeelRange): boolean {
  const starts = startToStart(a, b);
  const ends = endToEnd(a, b);
  const startsEarlier = starts < 0 || (starts === 0 && a.startIncluded && !b.startIncluded);
  const endsEarlier = ends < 0 || (ends === 0 && (!a.endIncluded || b.endIncluded));
  return startsEarlier && !before(a, b) && endsEarlier;
}

function overlapsAfter(a: FeelRange, b: FeelRange): boolean {
  const starts = startToStart(b, a);
  const ends = endToEnd(b, a);
  const startsLater = starts < 0 || (starts === 0 && b.startIncluded && !a.startIncluded);
  const endsLater = ends < 0 || (ends === 0 && (!b.endIncluded || a.endIncluded));
  return startsLater && !before(b, a) && endsLater;
}

function includes(a: FeelRange, b: FeelRange): boolean {
  const starts = startToStart(a, b);
  const ends = endToEnd(a, b);
  const startFits = starts < 0 || (starts === 0 && (a.startIncluded || !b.startIncluded));
  const endFits = ends > 0 || (ends === 0 && (a.endIncluded || !b.endIncluded));
  return startFits && endFits;
}

function finishes(a: FeelRange, b: FeelRange): boolean {
  const starts = startToStart(a, b);
  const startFits = starts > 0 || (starts === 0 && (!a.startIncluded || b.startIncluded));
  return a.endIncluded === b.endIncluded && endToEnd(a, b) === 0 && startFits;
}

function starts(a: FeelRange, b: FeelRange): boolean {
  const ends = endToEnd(a, b);
  const endFits = ends < 0 || (ends === 0 && (!a.endIncluded || b.endIncluded));
  return a.startIncluded === b.startIncluded && startToStart(a, b) === 0 && endFits;
}

function coincides(a: FeelRange, b: FeelRange): boolean {
  if (a.startIncluded !== b.startIncluded || a.endIncluded !== b.endIncluded) return false;
  return startToStart(a, b) === 0 && endToEnd(a, b) === 0;
}

type Relation = (a: FeelRange, b: FeelRange) => boolean;
type Operands = 'ranges' | 'point first' | 'point second' | 'points';

const swapped =
  (relation: Relation): Relation =>
  (a, b) =>
    relation(b, a);

/** A relation, for the operands that it is defined for. */
/** A relation compares each end four times at most. */
function spendOnEnds(call: CallSite, value: Value): void {
  for (const end of value instanceof FeelRange ? [value.start, value.end] : [value]) {
    if (typeof end === 'string') call.meter.scan(4 * end.length, unitsPerStep.compared);
    else if (typeof end === 'object' && end !== null) call.spend(4 * cost.zone);
  }
}

function relation(holds: Relation, ...allowed: Operands[]): Builtin {
  const check = (call: CallSite, left: Value, right: Value): Value => {
    if (!allowed.includes(operandsOf(left, right))) {
      return call.fail(`is not defined for a ${kindOf(left)} and a ${kindOf(right)}.`);
    }
    spendOnEnds(call, left);
    spendOnEnds(call, right);
    try {
      return holds(left instanceof FeelRange ? left : point(left), right instanceof FeelRange ? right : point(right));
    } catch (error) {
      if (error instanceof Incomparable)
        return call.fail(`a ${kindOf(left)} and a ${kindOf(right)} have no common order.`);
      throw error;
    }
  };
  const named = allowed.map((operands) => signature(names[operands], check));
  return new Builtin([...named, signature(['value1: any', 'value2: any'], check)]);
}

const names: Readonly<Record<Operands, readonly [string, string]>> = {
  ranges: ['range1: any', 'range2: any'],
  points: ['point1: any', 'point2: any'],
  'point first': ['point: any', 'range: any'],
  'point second': ['range: any', 'point: any'],
};

function operandsOf(left: Value, right: Value): Operands {
  if (left instanceof FeelRange) return right instanceof FeelRange ? 'ranges' : 'point second';
  return right instanceof FeelRange ? 'point first' : 'points';
}

/** A range as a text whose ends are constants; one end may be missing behind an open bracket (DMN 1.5, table 75). */
const RANGE = /^\s*([[(\]])\s*(.*?)\s*\.\.\s*(.*?)\s*([\])[])\s*$/s;
const LONGEST_RANGE = 1000;

function readRange(call: CallSite, text: string): Value {
  call.spend(4 * cost.parse);
  const [, open, low = '', high = '', close] = (text.length <= LONGEST_RANGE && RANGE.exec(text)) || [];
  const [startIncluded, endIncluded] = [open === '[', close === ']'];
  const start = low === '' ? undefined : readEnd(low);
  const end = high === '' ? undefined : readEnd(high);
  if (open === undefined || start === null || end === null || (start === undefined && end === undefined)) {
    return call.fail('this is no range of constants.');
  }
  if ((start === undefined && startIncluded) || (end === undefined && endIncluded)) {
    return call.fail('an end that is missing cannot be included.');
  }
  const distance = start === undefined || end === undefined ? -1 : order(start, end, call.meter);
  if (distance === null || distance > 0) return call.fail('the start must not lie after the end.');
  return new FeelRange(start, startIncluded, end, endIncluded);
}

/** A number, a text, a temporal literal, or a call such as `date("2030-01-31")`; null if it is none of them. */
function readEnd(text: string): Value {
  const [, call, quoted] = /^(@|date\(|time\(|date and time\(|duration\(|)("[^]*")\)?$/.exec(text) ?? [];
  if (quoted === undefined) return /^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? parseNumber(text) : null;
  const literal = readLiteral(quoted);
  return call === '' || literal === null ? literal : parseTemporal(literal);
}

function readLiteral(quoted: string): string | null {
  try {
    const { text, to } = readString(quoted, 0);
    return to === quoted.length ? text : null;
  } catch (error) {
    if (error instanceof FeelSyntaxError) return null;
    throw error;
  }
}

export const ranges: readonly (readonly [string, Builtin])[] = [
  ['range', new Builtin([signature(['from: string'], readRange)])],
  ['before', relation(before, 'points', 'point first', 'point second', 'ranges')],
  ['after', relation(swapped(before), 'points', 'point first', 'point second', 'ranges')],
  ['meets', relation(meets, 'ranges')],
  ['met by', relation(swapped(meets), 'ranges')],
  ['overlaps', relation((a, b) => !before(a, b) && !before(b, a), 'ranges')],
  ['overlaps before', relation(overlapsBefore, 'ranges')],
  ['overlaps after', relation(overlapsAfter, 'ranges')],
  ['finishes', relation(finishes, 'point first', 'ranges')],
  ['finished by', relation(swapped(finishes), 'point second', 'ranges')],
  ['includes', relation(includes, 'point second', 'ranges')],
  ['during', relation(swapped(includes), 'point first', 'ranges')],
  ['starts', relation(starts, 'point first', 'ranges')],
  ['started by', relation(swapped(starts), 'point second', 'ranges')],
  ['coincides', relation(coincides, 'points', 'ranges')],
];
