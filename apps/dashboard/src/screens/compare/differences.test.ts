import { expect, test } from 'vitest';
import { parseExact } from '../../data/exact-json.ts';
import { differencesOf, MOST } from './differences.ts';

const json = (text: string) => parseExact(text);

test('paths that differ are named, with both values', () => {
  const first = json(
    '{"counts": {"00": 512, "11": 488}, "list": [1, 2], "n": 12345678901234567890, "same": [{"a": null}]}',
  );
  const second = json(
    '{"counts": {"00": 500, "11": 488, "01": 1}, "list": [1], "n": 12345678901234567891, "same": [{"a": null}]}',
  );
  expect(differencesOf(first, second)).toEqual([
    { path: 'counts.00', first: '512', second: '500' },
    { path: 'counts.01', first: null, second: '1' },
    { path: 'list[1]', first: '2', second: null },
    { path: 'n', first: '12345678901234567890', second: '12345678901234567891' },
  ]);
  expect(differencesOf(first, first)).toEqual([]);
  expect(differencesOf([1], { 0: 1 })).toEqual([{ path: '', first: '[1]', second: '{"0":1}' }]);
});

test('large and deep values end', () => {
  const large = Array.from({ length: 300_000 }, (_, index) => index);
  expect(
    differencesOf(
      large,
      large.map((one) => one + 1),
    ).length,
  ).toBe(MOST);
  let deep: unknown = 1;
  for (let depth = 0; depth < 20_000; depth++) deep = [deep];
  expect(differencesOf(deep, deep)).toEqual([]);
});
