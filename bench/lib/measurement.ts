/** One number of SPECIFICATION.md. */
export interface Measurement {
  readonly name: string;
  /** Time of the measurement. */
  readonly date?: string;
  readonly unit: string;
  /** Its cell in a table of its own, instead of a line among all others. */
  readonly cell?: { readonly row: string; readonly column: string };
  /** The measured value: the median of the rounds unless the name says otherwise. */
  readonly value: number;
  readonly goal: { readonly atLeast: number } | { readonly atMost: number } | null;
  /** A description of the method, for readers who doubt the value. */
  readonly how: string;
  readonly rounds: Readonly<Record<string, readonly number[]>>;
}

export function isReached({ goal, value }: Measurement): boolean | null {
  if (goal === null) return null;
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
}
