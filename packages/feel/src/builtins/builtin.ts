import type { CallSite } from '../evaluate/call-site.ts';
import { type DaysDuration, type MonthsDuration, FeelDate, FeelDateTime, FeelTime } from '../values/temporal.ts';
import { FeelFunction, type FeelRange, type Context, type FeelNumber, type Value } from '../values/value.ts';
import { kindOf } from '../values/kind.ts';

/** The kinds of parameters, and what functions get for them. */
interface Kinds {
  any: Value;
  boolean: boolean;
  string: string;
  number: FeelNumber;
  list: readonly Value[];
  context: Context;
  function: FeelFunction;
  range: FeelRange;
  date: FeelDate;
  time: FeelTime;
  'date and time': FeelDateTime;
  /** A date, or the date of a date and time. */
  day: FeelDate;
  duration: DaysDuration | MonthsDuration;
  'days and time duration': DaysDuration;
}

type KindOf<S extends string> = S extends keyof Kinds
  ? Kinds[S]
  : S extends `${infer K extends keyof Kinds} or null`
    ? Kinds[K] | null
    : S extends `${infer K extends keyof Kinds}?`
      ? Kinds[K] | undefined
      : never;

type Arguments<P extends readonly string[]> = {
  [I in keyof P]: P[I] extends `...${string}: ${infer S}`
    ? KindOf<S>
    : P[I] extends `${string}: ${infer S}`
      ? KindOf<S>
      : never;
};

interface ParameterSpec {
  name: string;
  kind: keyof Kinds;
  optional: boolean;
  nullable: boolean;
  /** Takes one list, or all remaining arguments as its items. */
  isRest: boolean;
}

/** One way to call a builtin. */
export interface Signature {
  readonly parameters: readonly ParameterSpec[];
  readonly run: (call: CallSite, args: readonly unknown[]) => Value;
}

/**
 * Describes one way to call a builtin. A parameter is written `name: kind`; `kind?` may be left out, `kind or null` may
 * be null, and `...name: list` takes a list or its items one by one.
 */
export function signature<const P extends readonly string[]>(
  parameters: P,
  run: (call: CallSite, ...args: Arguments<P>) => Value,
): Signature {
  return {
    parameters: parameters.map(specOf),
    run: (call, args) => run(call, ...(args as unknown as Arguments<P>)),
  };
}

function specOf(text: string): ParameterSpec {
  const [name = '', kind = ''] = text.split(': ');
  return {
    name: name.replace('...', ''),
    kind: kind.replace('?', '').replace(' or null', '') as keyof Kinds,
    optional: kind.endsWith('?'),
    nullable: kind.endsWith(' or null'),
    isRest: name.startsWith('...'),
  };
}

/** A function that comes with the language, with its ways to be called. The first that fits the arguments is taken. */
export class Builtin extends FeelFunction {
  readonly signatures: readonly Signature[];

  constructor(signatures: readonly Signature[]) {
    const first = signatures[0]?.parameters.map((parameter) => parameter.name) ?? [];
    super(first, () => null);
    this.signatures = signatures;
  }

  call(values: readonly Value[], names: readonly string[] | null, call: CallSite): Value {
    for (const { parameters, run } of this.#candidates(names)) {
      const args = names ? byName(parameters, values, names) : byPosition(parameters, values);
      const converted = args && convertAll(parameters, args);
      if (converted) return run(call, converted);
    }
    return call.fail(
      `expects (${this.signatures.map(describe).join(') or (')}), got (${values.map(kindOf).join(', ')}).`,
    );
  }

  /** Names of arguments are in no order, but `before(range: r, point: p)` and `before(point: p, range: r)` differ. */
  #candidates(names: readonly string[] | null): readonly Signature[] {
    const isWritten = ({ parameters }: Signature): boolean =>
      names !== null && parameters.every(({ name }, index) => name === names[index]);
    const written = names && this.signatures.find(isWritten);
    return written ? [written, ...this.signatures] : this.signatures;
  }
}

function describe({ parameters }: Signature): string {
  return parameters.map(({ name, kind, optional }) => `${name}${optional ? '?' : ''}: ${kind}`).join(', ');
}

/** Undefined stands for what was left out. Null if the number of arguments does not fit. */
function byPosition(parameters: readonly ParameterSpec[], values: readonly Value[]): (Value | undefined)[] | null {
  const last = parameters.length - 1;
  if (parameters[last]?.isRest) {
    if (values.length <= last) return null;
    const remaining = values.slice(last);
    const [only] = remaining;
    return [...values.slice(0, last), last === 0 && remaining.length === 1 && Array.isArray(only) ? only : remaining];
  }
  if (values.length > parameters.length) return null;
  return parameters.map((_, index) => values[index]);
}

function byName(
  parameters: readonly ParameterSpec[],
  values: readonly Value[],
  names: readonly string[],
): (Value | undefined)[] | null {
  if (!names.every((name) => parameters.some((parameter) => parameter.name === name))) return null;
  return parameters.map((parameter) => {
    const value = values[names.lastIndexOf(parameter.name)];
    return names.includes(parameter.name) ? value : undefined;
  });
}

function convertAll(parameters: readonly ParameterSpec[], args: readonly (Value | undefined)[]): unknown[] | null {
  const converted: unknown[] = [];
  for (const [index, parameter] of parameters.entries()) {
    const value = args[index];
    const result = value === undefined ? missing(parameter) : convert(value, parameter);
    if (result === MISMATCH) return null;
    converted.push(result);
  }
  return converted;
}

const MISMATCH = Symbol('mismatch');

function missing({ optional }: ParameterSpec): unknown {
  return optional ? undefined : MISMATCH;
}

/** The implicit conversions of arguments (DMN 1.5, 10.3.2.9.4): a list of one for its item, and the other way round. */
function convert(value: Value, { kind, nullable }: ParameterSpec): unknown {
  if (kind === 'any') return value;
  if (value === null) return nullable ? null : MISMATCH;
  if (kind === 'list') return Array.isArray(value) ? value : [value];
  const found = fit(value, kind);
  if (found !== undefined) return found;
  const [only] = Array.isArray(value) && value.length === 1 ? (value as readonly Value[]) : [];
  return (only === undefined || only === null ? undefined : fit(only, kind)) ?? MISMATCH;
}

function fit(value: Value, kind: keyof Kinds): Value | undefined {
  const found = kindOf(value);
  if (found === kind) return value;
  if (kind === 'day' && found === 'date') return value;
  if (kind === 'day' && value instanceof FeelDateTime) return value.date;
  if (kind === 'date and time' && value instanceof FeelDate) return new FeelDateTime(value, new FeelTime(0, 0));
  if (kind === 'duration' && found.endsWith('duration')) return value;
  return undefined;
}
