import { describe, expect, test } from 'vitest';
import { Places } from './places.ts';

/** Places of a process that has looked, and found nothing waiting. */
function looked(): Places {
  const places = new Places();
  places.looked(places.room(), new Map());
  return places;
}

function takeAll(places: Places, owner: string): number {
  let taken = 0;
  while (places.takeAtOnce(owner)) taken += 1;
  return taken;
}

describe('places for jobs', () => {
  test('nothing is taken at once before somebody has looked for what is older', () => {
    const places = new Places();
    expect(places.takeAtOnce('ada')).toBe(false);
    places.looked(places.room(), new Map());
    expect(places.takeAtOnce('ada')).toBe(true);
  });

  test('one owner leaves room for others', () => {
    const places = looked();
    expect(takeAll(places, 'noisy')).toBe(96);
    expect(takeAll(places, 'quiet')).toBe(32);
  });

  test('whose older jobs wait does not overtake them, and others are not held up by that', () => {
    const places = looked();
    takeAll(places, 'noisy');
    places.give('noisy');
    expect(places.takeAtOnce('noisy')).toBe(false);
    expect(places.takeAtOnce('quiet')).toBe(true);
    places.looked(places.room(), new Map([['noisy', 1]]));
    expect(places.takeAtOnce('noisy')).toBe(false);
    places.looked(places.room(), new Map());
    expect(places.takeAtOnce('noisy')).toBe(true);
  });

  test('when all places were taken nobody overtakes those who wait', () => {
    const places = looked();
    takeAll(places, 'noisy');
    takeAll(places, 'loud');
    expect(places.takeAtOnce('quiet')).toBe(false);
    places.give('loud');
    expect(places.takeAtOnce('loud')).toBe(false);
    places.looked(places.room(), new Map([['quiet', 1]]));
    expect(places.takeAtOnce('loud')).toBe(false);
    places.take('quiet');
    places.give('loud');
    places.looked(places.room(), new Map());
    places.give('loud');
    expect(places.takeAtOnce('quiet')).toBe(true);
  });
});
