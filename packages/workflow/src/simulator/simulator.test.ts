import { expect, it } from 'vitest';
import { simulate } from './simulate.ts';

const COUNT = 10_000;

it(`${COUNT} random processes end, along random paths, with crashes and repetitions`, async () => {
  const ends = new Map<string, number>();
  for (let seed = 1; seed <= COUNT; seed++) {
    const { phase } = await simulate(seed);
    ends.set(phase, (ends.get(phase) ?? 0) + 1);
  }
  // Most complete; some are cancelled, by somebody or because nobody can mend them.
  expect(ends.get('COMPLETED')).toBeGreaterThan(COUNT / 2);
  expect(ends.get('CANCELLED')).toBeGreaterThan(0);
}, 300_000);
