import { FeelBudgetError } from '../errors.ts';

/**
 * Characters of a number that can be computed with. Beyond it, computing fails; Python reads no longer integer either.
 */
const LONGEST = 4_300;

interface WithRawJson {
  rawJSON(text: string): unknown;
}

/**
 * A number that no double holds, by its JSON text: `12345678901234567890`, `0.1000000000000000055`, `1e400`. It is
 * stored and passed on as this text. FEEL computes with its first 34 digits.
 */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Throws `FeelBudgetError` for a number that is too long to be computed with. */
  requireShort(): string {
    if (this.text.length <= LONGEST) return this.text;
    throw new FeelBudgetError('digits', `The number ${this.text.slice(0, 20)}… has more than ${LONGEST} characters.`);
  }

  toString(): string {
    return this.text;
  }

  toJSON(): unknown {
    return (JSON as unknown as WithRawJson).rawJSON(this.text);
  }
}
