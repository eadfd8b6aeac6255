import { expect, test } from 'vitest';
import { Random } from '../simulator/random.ts';
import { NumberMap } from './number-map.ts';

test('a map is what a Map sorted by its keys is, and what it was before stays as it was', () => {
  const random = new Random(1);
  let map = NumberMap.empty<number>();
  let plain = new Map<number, number>();
  for (let round = 0; round < 1_500; round += 1) {
    const before = { map, plain, entries: [...map] };
    const key = random.below(random.chance(0.5) ? 200 : 2 ** 31);
    plain = new Map(plain);
    if (random.chance(0.6)) {
      map = map.set(key, round);
      plain.set(key, round);
    } else if (random.chance(0.9)) {
      map = map.delete(key);
      plain.delete(key);
    } else {
      map = map.without(key, key + 50);
      for (const each of plain.keys()) if (each >= key && each < key + 50) plain.delete(each);
    }
    const sorted = [...plain].sort(([a], [b]) => a - b);
    if (round % 50 === 0) {
      expect([...map]).toEqual(sorted);
      expect([...before.map]).toEqual(before.entries);
      expect([...map.range(40, 90)]).toEqual(sorted.filter(([each]) => each >= 40 && each < 90));
      expect(map.first(100)).toBe(sorted.find(([each]) => each >= 100)?.[0]);
    }
    expect(map.size).toBe(plain.size);
    expect(map.get(key)).toBe(plain.get(key));
    const differs = [...new Set([...plain.keys(), ...before.plain.keys()])].filter(
      (each) => plain.get(each) !== before.plain.get(each),
    );
    if (round % 10 === 0) expect(new Set(map.changed(before.map))).toEqual(new Set(differs));
  }
});

test('two maps are compared in proportion to what they do not share', () => {
  let map = NumberMap.empty<number>();
  for (let key = 1; key <= 1_000; key += 1) map = map.set(key, key);
  let other = map;
  for (let key = 2_000; key < 2_010; key += 1) other = other.set(key, key);
  expect([...other.delete(7).changed(map)].sort((a, b) => a - b)).toEqual([
    7, 2_000, 2_001, 2_002, 2_003, 2_004, 2_005, 2_006, 2_007, 2_008, 2_009,
  ]);
  expect([...NumberMap.empty<number>().changed(map.without(2, 1_001))]).toEqual([1]);
});
