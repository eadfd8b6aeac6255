import { describe, expect, test } from 'vitest';
import { LimitedMap } from './limited-map.ts';

const ROUNDS = 40;

/** What share of look-ups finds something, when `keys` keys are asked for in turns and remembered when not found. */
function found(map: LimitedMap<number>, keys: number): number {
  let hits = 0;
  for (let round = 0; round < ROUNDS; round++)
    for (let key = 0; key < keys; key++) {
      if (map.get(String(key)) === key) hits += 1;
      else map.set(String(key), key);
    }
  return hits / (ROUNDS * keys);
}

describe('a map with a limit', () => {
  test('finds everything while there is room', () => {
    expect(found(new LimitedMap(1_000), 1_000)).toBe((ROUNDS - 1) / ROUNDS);
  });

  test.each([
    [1_100, 0.8],
    [1_500, 0.6],
    [3_000, 0.2],
  ])(
    'of %i keys in 1,000 places it finds nearly what it can hold, also when they are asked for in turns',
    (keys, share) => {
      const map = new LimitedMap<number>(1_000);
      expect(found(map, keys)).toBeGreaterThan(share);
      expect(map.size).toBe(1_000);
    },
  );

  test('what is over gives way to any newcomer', () => {
    const map = new LimitedMap<number>(2, { isOver: (value) => value < 0 });
    for (const [key, value] of [
      ['a', -1],
      ['b', -1],
      ['c', 1],
      ['d', 1],
    ] as const)
      map.set(key, value);
    expect(['a', 'b', 'c', 'd'].map((key) => map.get(key))).toEqual([undefined, undefined, 1, 1]);
  });

  test('replaces and forgets what is there, also when it is full', () => {
    const map = new LimitedMap<number>(2);
    for (const key of ['a', 'b']) map.set(key, 1);
    map.set('a', 2);
    expect([map.get('a'), map.get('b')]).toEqual([2, 1]);
    map.delete('a');
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([undefined, 1, 3]);
    map.clear();
    expect(map.size).toBe(0);
  });

  test('puts a value in the place of another one, and in no other place', () => {
    const left: number[] = [];
    const map = new LimitedMap<number>(2, { isOver: (value) => value < 0, onLeft: (value) => left.push(value) });
    for (const key of ['a', 'b']) map.set(key, 1);
    map.replace('a', -2);
    map.replace('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c'), left]).toEqual([-2, 1, undefined, [1]]);
    // It is as old as what it took the place of.
    map.set('d', 4);
    expect([map.get('a'), map.get('b'), left]).toEqual([undefined, 1, [1, -2]]);
  });
});
