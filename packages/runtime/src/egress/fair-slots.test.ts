import { expect, test } from 'vitest';
import { FairSlots } from './fair-slots.ts';

function slotsFor(holders: readonly string[], total: number, mostEach: number): FairSlots {
  const slots = new FairSlots(total, mostEach);
  for (const holder of holders) slots.enter(holder);
  return slots;
}

function takeAll(slots: FairSlots, holder: string): number {
  let taken = 0;
  while (slots.take(holder) !== null) taken += 1;
  return taken;
}

test('nobody takes more than the limit of one, however many are free', () => {
  expect(takeAll(slotsFor(['a'], 100, 8), 'a')).toBe(8);
});

test('whoever takes all that it can leaves an equal share to whoever comes later', () => {
  const slots = slotsFor(['a', 'b', 'c', 'd'], 40, 40);
  expect(takeAll(slots, 'a')).toBe(30);
  expect(takeAll(slots, 'b')).toBe(8);
  expect(slots.take('c')).not.toBe(null);
});

test('a slot is given back once, also when its holder has left', () => {
  const slots = slotsFor(['a', 'b'], 4, 4);
  const back = slots.take('a');
  back?.();
  back?.();
  expect(takeAll(slots, 'a')).toBe(3);
  slots.leave('a');
  // Three are still in use.
  expect(takeAll(slots, 'b')).toBe(1);
});

test('holders that come and go unannounced are counted while they hold something', () => {
  const slots = new FairSlots(40, 40);
  expect(takeAll(slots, 'a')).toBe(30);
  const back = slots.take('b');
  expect(slots.take('a')).toBe(null);
  back?.();
  expect(takeAll(slots, 'b')).toBe(10);
});
