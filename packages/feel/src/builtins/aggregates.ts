import { cost } from '../cost.ts';
import type { CallSite } from '../evaluate/call-site.ts';
import { kindOf } from '../values/kind.ts';
import { add, compareNumbers, Decimal, divide, fromDecimal, isNumber, multiply, toDecimal } from '../values/number.ts';
import { order } from '../values/order.ts';
import type { FeelNumber, Value } from '../values/value.ts';
import { Builtin, signature } from './builtin.ts';

type Numbers = readonly FeelNumber[];

function overItems(run: (call: CallSite, list: readonly Value[]) => Value): Builtin {
  return new Builtin([
    signature(['...list: list'], (call, list) => {
      call.meter.look(list.length);
      return run(call, list);
    }),
  ]);
}

/** A function that sorts or computes with decimals, which costs more than reading. */
function dear(perItem: number, run: (numbers: Numbers, call: CallSite) => FeelNumber | null | readonly FeelNumber[]) {
  return (numbers: Numbers, call: CallSite) => {
    call.spend(numbers.length * perItem);
    return run(numbers, call);
  };
}

/** A function of at least one number. */
function overNumbers(run: (numbers: Numbers, call: CallSite) => FeelNumber | null | readonly FeelNumber[]): Builtin {
  return overItems((call, list) => {
    const wrong = list.find((item) => !isNumber(item));
    if (wrong !== undefined) return call.fail(`expects numbers, got ${kindOf(wrong)}.`);
    return list.length === 0 ? call.fail('needs one number at least.') : run(list as Numbers, call);
  });
}

function total(call: CallSite, numbers: Numbers, operation: typeof add, start: number): FeelNumber | null {
  let result: FeelNumber | null = start;
  for (const number of numbers) {
    if (result === null) return null;
    if (!Number.isSafeInteger(result) || !Number.isSafeInteger(number)) call.spend(cost.added);
    result = operation(result, number);
  }
  return result;
}

function mean(numbers: Numbers, call: CallSite): FeelNumber | null {
  const sum = total(call, numbers, add, 0);
  return sum === null ? null : divide(sum, numbers.length);
}

function median(numbers: Numbers, call: CallSite): FeelNumber | null {
  const sorted = numbers.toSorted(compareNumbers);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  if (sorted.length % 2 === 1) return upper;
  return mean([sorted[sorted.length / 2 - 1] ?? 0, upper], call);
}

/** The standard deviation of a sample. */
function deviation(numbers: Numbers, call: CallSite): FeelNumber | null {
  const middle = mean(numbers, call);
  if (numbers.length < 2 || middle === null) return call.fail('needs two numbers at least.');
  let squares = new Decimal(0);
  for (const number of numbers) squares = squares.plus(toDecimal(number).minus(toDecimal(middle)).pow(2));
  return fromDecimal(squares.div(numbers.length - 1).sqrt());
}

/** The most frequent numbers, ascending. */
function mode(numbers: Numbers): readonly FeelNumber[] {
  const sorted = numbers.toSorted(compareNumbers);
  let most = 0;
  let best: FeelNumber[] = [];
  for (let from = 0; from < sorted.length;) {
    const number = sorted[from] ?? 0;
    let to = from;
    while (to < sorted.length && compareNumbers(sorted[to] ?? 0, number) === 0) to++;
    if (to - from > most) best = [];
    most = Math.max(most, to - from);
    if (to - from === most) best.push(number);
    from = to;
  }
  return best;
}

/** The first or last item by order; null if two of them have none. */
function extreme(call: CallSite, list: readonly Value[], sign: 1 | -1): Value {
  const [first] = list;
  if (first === undefined) return call.fail('needs one item at least.');
  let best = first;
  if (order(first, first, call.meter) === null) return call.fail(`a ${kindOf(first)} has no order.`);
  for (const item of list) {
    const distance = order(item, best, call.meter);
    if (distance === null) return call.fail(`a ${kindOf(item)} cannot be compared with a ${kindOf(best)}.`);
    if (distance * sign > 0) best = item;
  }
  return best;
}

/** `all` and `any`, with three values; the decisive value decides even beside null. */
function logic(decisive: boolean): Builtin {
  return overItems((_call, list) => {
    if (list.includes(decisive)) return decisive;
    return list.every((item) => item === !decisive) ? !decisive : null;
  });
}

export const aggregates: readonly (readonly [string, Builtin])[] = [
  ['min', overItems((call, list) => extreme(call, list, -1))],
  ['max', overItems((call, list) => extreme(call, list, 1))],
  ['sum', overNumbers((numbers, call) => total(call, numbers, add, 0))],
  ['product', overNumbers((numbers, call) => total(call, numbers, multiply, 1))],
  ['mean', overNumbers(mean)],
  ['median', overNumbers(dear(cost.sorted, median))],
  ['stddev', overNumbers(dear(cost.squared, deviation))],
  [
    'mode',
    overItems((call, list) => {
      call.spend(list.length * cost.sorted);
      const wrong = list.find((item) => !isNumber(item));
      return wrong === undefined ? mode(list as Numbers) : call.fail(`expects numbers, got ${kindOf(wrong)}.`);
    }),
  ],
  ['all', logic(false)],
  ['and', logic(false)],
  ['any', logic(true)],
  ['or', logic(true)],
];
