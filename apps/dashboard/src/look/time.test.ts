import { expect, test } from 'vitest';
import { bytes, duration, fromLocalInput, parseTime, relativeTime, toApiTime, toLocalInput } from './time.ts';

test('times of the interface are in UTC', () => {
  expect(parseTime('2026-11-23 01:02:03')).toBe(Date.UTC(2026, 10, 23, 1, 2, 3));
  expect(parseTime('2026-11-23T01:02:03+01:00')).toBe(Date.UTC(2026, 10, 23, 0, 2, 3));
});

test.each([
  [-2_000, 'just now'],
  [-65_000, '1 minute ago'],
  [-86_400_000 * 3, '3 days ago'],
  [3_600_000, 'in 1 hour'],
])('%d ms from now is %s', (ms, text) => expect(relativeTime(1e12 + ms, 1e12)).toBe(text));

test.each([
  [120, '120 ms'],
  [3_400, '3.4 s'],
  [61_000, '1 min 1 s'],
  [3_720_000, '1 h 2 min'],
])('%d ms are %s', (ms, text) => expect(duration(ms)).toBe(text));

test('sizes', () => expect([bytes(10), bytes(1536), bytes(5 * 2 ** 30)]).toEqual(['10 B', '1.5 KB', '5.0 GB']));

test('a time is written as the API reads it', () =>
  expect(parseTime(toApiTime(new Date(1_795_000_000_000)))).toBe(1_795_000_000_000));

test('a local input names the same minute, read and written', () => {
  const minute = Date.UTC(2026, 10, 23, 22, 58);
  expect(fromLocalInput(toLocalInput(minute)).getTime()).toBe(minute);
});
