import { describe, expect, test } from 'vitest';
import { JobSlots } from './job-slots.ts';

/** Slots of a process that has read the table, and found nothing waiting. */
function looked(): JobSlots {
  const slots = new JobSlots();
  slots.looked(slots.free(), new Map());
  return slots;
}

function takeAll(slots: JobSlots, owner: string): number {
  let taken = 0;
  while (slots.takeNow(owner)) taken += 1;
  return taken;
}

describe('slots for jobs', () => {
  test('no slot is taken at once before the table was searched for older jobs', () => {
    const slots = new JobSlots();
    expect(slots.takeNow('ada')).toBe(false);
    slots.looked(slots.free(), new Map());
    expect(slots.takeNow('ada')).toBe(true);
  });

  test('one owner leaves room for others', () => {
    const slots = looked();
    expect(takeAll(slots, 'noisy')).toBe(96);
    expect(takeAll(slots, 'quiet')).toBe(32);
  });

  test('an owner whose older jobs wait does not overtake them, and others are not delayed by that', () => {
    const slots = looked();
    takeAll(slots, 'noisy');
    slots.give('noisy');
    expect(slots.takeNow('noisy')).toBe(false);
    expect(slots.takeNow('quiet')).toBe(true);
    slots.looked(slots.free(), new Map([['noisy', 1]]));
    expect(slots.takeNow('noisy')).toBe(false);
    slots.looked(slots.free(), new Map());
    expect(slots.takeNow('noisy')).toBe(true);
  });

  test('when all slots were taken nobody overtakes those who wait', () => {
    const slots = looked();
    takeAll(slots, 'noisy');
    takeAll(slots, 'loud');
    expect(slots.takeNow('quiet')).toBe(false);
    slots.give('loud');
    expect(slots.takeNow('loud')).toBe(false);
    slots.looked(slots.free(), new Map([['quiet', 1]]));
    expect(slots.takeNow('loud')).toBe(false);
    slots.take('quiet');
    slots.give('loud');
    slots.looked(slots.free(), new Map());
    slots.give('loud');
    expect(slots.takeNow('quiet')).toBe(true);
  });
});
