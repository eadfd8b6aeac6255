/** A number whose digits a double cannot hold: compared as text. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }
}

export interface Comparison {
  /** The difference that two numbers may have, relative to the larger one and absolute. Default 0. */
  readonly tolerance?: number;
  /** JSON Pointers of what is not compared, with all that is below. */
  readonly ignore?: readonly string[];
  /** True if members that are not expected count as differences. Default false. */
  readonly exact?: boolean;
}

/** A place at which a result is not as expected. Undefined: there is nothing. */
export interface Difference {
  /** JSON Pointer (RFC 6901); empty for the whole result. */
  readonly pointer: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Differences that are collected. More are only said to be there. */
const MOST = 100;

/** Parses JSON. Numbers that a double does not hold keep their digits. Throws SyntaxError. */
export function parseForComparison(text: string): unknown {
  const revive = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    const isInteger = /^-?\d+$/.test(context.source);
    return isInteger && !Number.isSafeInteger(value) ? new ExactNumber(context.source) : value;
  };
  return JSON.parse(text, revive) as unknown;
}

/** The places at which `actual` is not as expected, in the order of the expected document. */
export function compare(expected: unknown, actual: unknown, options: Comparison = {}): Difference[] {
  const found: Difference[] = [];
  const look = (pointer: string, one: unknown, other: unknown): void => {
    if (found.length >= MOST || (options.ignore ?? []).includes(pointer)) return;
    if (isList(one) && isList(other)) {
      if (one.length !== other.length)
        found.push({ pointer, expected: `${one.length} elements`, actual: `${other.length} elements` });
      else for (const [index, element] of one.entries()) look(`${pointer}/${index}`, element, other[index]);
    } else if (isObject(one) && isObject(other)) {
      for (const [name, value] of Object.entries(one))
        look(`${pointer}/${escaped(name)}`, value, Object.hasOwn(other, name) ? other[name] : undefined);
      if (options.exact === true)
        for (const [name, value] of Object.entries(other))
          if (!Object.hasOwn(one, name)) look(`${pointer}/${escaped(name)}`, undefined, value);
    } else if (!isSame(one, other, options.tolerance ?? 0)) found.push({ pointer, expected: one, actual: other });
  };
  look('', expected, actual);
  return found;
}

/** A difference in one line. */
export function differenceText({ pointer, expected, actual }: Difference): string {
  const at = pointer === '' ? 'the result' : pointer;
  if (actual === undefined) return `${at} is missing; expected ${shown(expected)}`;
  if (expected === undefined) return `${at} is ${shown(actual)}; nothing was expected there`;
  return `${at} is ${shown(actual)}; expected ${shown(expected)}`;
}

function isSame(one: unknown, other: unknown, tolerance: number): boolean {
  if (one instanceof ExactNumber || other instanceof ExactNumber) {
    if (tolerance === 0) return String(one) === String(other) && isNumeric(one) && isNumeric(other);
    return isNumeric(one) && isNumeric(other) && isNear(Number(String(one)), Number(String(other)), tolerance);
  }
  if (typeof one === 'number' && typeof other === 'number') return isNear(one, other, tolerance);
  return one === other;
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || value instanceof ExactNumber;
}

function isNear(one: number, other: number, tolerance: number): boolean {
  if (one === other) return true;
  return Math.abs(one - other) <= tolerance * Math.max(1, Math.abs(one), Math.abs(other));
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Characters of a value that are shown. */
const SHOWN = 200;

function shown(value: unknown): string {
  const text = value instanceof ExactNumber ? value.digits : (JSON.stringify(value) ?? 'nothing');
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
