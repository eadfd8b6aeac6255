import { expect, test } from 'vitest';
import { LeakyBucket } from './leaky-bucket.ts';

test('an owner who takes more than its share waits, and nobody else does', () => {
  let now = 0;
  const budget = new LeakyBucket(200, 200, () => now);
  for (let step = 0; step < 41; step += 1) budget.spend('noisy', 5);
  expect([budget.allows('noisy'), budget.allows('quiet')]).toEqual([false, true]);
  now = 30;
  expect(budget.allows('noisy')).toBe(true);
});

test('who takes no more than its share never waits', () => {
  let now = 0;
  const budget = new LeakyBucket(200, 200, () => now);
  for (; now < 60_000; now += 10) {
    expect(budget.allows('steady')).toBe(true);
    budget.spend('steady', 2);
  }
});

test('of very many owners those are forgotten first who have used nothing for the longest time', () => {
  let now = 0;
  const budget = new LeakyBucket(1, 10, () => now);
  budget.spend('first', 1_000);
  now = 1;
  budget.spend('noisy', 1_000);
  for (let owner = 0; owner < 999; owner += 1) budget.spend(`owner ${owner}`, 1_000);
  expect([budget.allows('first'), budget.allows('noisy')]).toEqual([true, false]);
});
