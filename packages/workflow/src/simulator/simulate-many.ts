import { expect } from 'vitest';
import { simulate } from './simulate.ts';

/** Simulates a random process for each seed from `first` on; every one has to end. */
export async function simulateMany(first: number, count: number): Promise<void> {
  const ends = new Map<string, number>();
  for (let seed = first; seed < first + count; seed++) {
    const { phase } = await simulate(seed);
    ends.set(phase, (ends.get(phase) ?? 0) + 1);
  }
  // Most complete; some are cancelled, by somebody or because nobody can mend them.
  expect(ends.get('COMPLETED')).toBeGreaterThan(count / 2);
  expect(ends.get('CANCELLED')).toBeGreaterThan(0);
}
