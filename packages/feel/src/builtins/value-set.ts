import type { Meter } from '../budget.ts';
import { equal } from '../values/equality.ts';
import type { Value } from '../values/value.ts';

/**
 * Characters of a text. Longer texts are hashed by their length alone; many of one length would be compared with each
 * other, unpaid.
 */
const LONGEST_HASHED = 10_000;

/** A set by FEEL's equality. Short texts, doubles and booleans are hashed; others are looked for one by one. */
export class ValueSet {
  readonly #simple = new Set<Value>();
  readonly #others: Value[] = [];
  readonly #meter: Meter;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /** False if it was there already. */
  add(value: Value): boolean {
    if (this.has(value)) return false;
    if (isSimple(value)) this.#simple.add(value);
    else this.#others.push(value);
    return true;
  }

  has(value: Value): boolean {
    this.#meter.spend(2);
    if (isSimple(value)) return this.#simple.has(value);
    this.#meter.spend(this.#others.length);
    return this.#others.some((other) => equal(other, value, this.#meter) === true);
  }
}

function isSimple(value: Value): boolean {
  return (
    value === null ||
    (typeof value === 'string' && value.length <= LONGEST_HASHED) ||
    typeof value === 'number' ||
    typeof value === 'boolean'
  );
}
