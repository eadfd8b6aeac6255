import { describe, expect, test } from 'vitest';
import { JobSlots } from './job-slots.ts';

/** Slots of a process that has read the table, and found nothing waiting. */
function looked(): JobSlots {
  const places = new JobSlots();
  places.looked(places.free(), new Map());
  return places;
}

function takeAll(places: JobSlots, owner: string): number {
  let taken = 0;
  while (places.takeNow(owner)) taken += 1;
  return taken;
}

describe('slots for jobs', () => {
  test('nothing is taken at once before somebody has looked for what is older', () => {
    const places = new JobSlots();
    expect(places.takeNow('ada')).toBe(false);
    places.looked(places.free(), new Map());
    expect(places.takeNow('ada')).toBe(true);
  });

  test('one owner leaves room for others', () => {
    const places = looked();
    expect(takeAll(places, 'noisy')).toBe(96);
    expect(takeAll(places, 'quiet')).toBe(32);
  });

  test('whose older jobs wait does not overtake them, and others are not delayed by that', () => {
    const places = looked();
    takeAll(places, 'noisy');
    places.give('noisy');
    expect(places.takeNow('noisy')).toBe(false);
    expect(places.takeNow('quiet')).toBe(true);
    places.looked(places.free(), new Map([['noisy', 1]]));
    expect(places.takeNow('noisy')).toBe(false);
    places.looked(places.free(), new Map());
    expect(places.takeNow('noisy')).toBe(true);
  });

  test('when all slots were taken nobody overtakes those who wait', () => {
    const places = looked();
    takeAll(places, 'noisy');
    takeAll(places, 'loud');
    expect(places.takeNow('quiet')).toBe(false);
    places.give('loud');
    expect(places.takeNow('loud')).toBe(false);
    places.looked(places.free(), new Map([['quiet', 1]]));
    expect(places.takeNow('loud')).toBe(false);
    places.take('quiet');
    places.give('loud');
    places.looked(places.free(), new Map());
    places.give('loud');
    expect(places.takeNow('quiet')).toBe(true);
  });
});
