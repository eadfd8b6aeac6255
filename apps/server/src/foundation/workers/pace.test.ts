import { afterEach, expect, test, vi } from 'vitest';
import { Pace } from './pace.ts';

const WORKERS = [1, 100, 101, 200, 1_000, 20_000];

function paceOf(workers: number): Pace {
  const pace = new Pace();
  pace.workers = workers;
  return pace;
}

/** The smallest and the largest of many answers. */
function range(ask: () => number): [number, number] {
  const all = Array.from({ length: 5_000 }, ask);
  return [Math.min(...all), Math.max(...all)];
}

afterEach(() => {
  vi.useRealTimers();
});

test.each(WORKERS)('%i workers together ask no more often than a hundred that ask every second', (workers) => {
  const pace = paceOf(workers);
  const [shortest, longest] = range(() => pace.pollMs(1_000));
  if (workers <= 100) expect([shortest, longest]).toEqual([1_000, 1_000]);
  // A random part of a quarter keeps them apart.
  const fair = Math.max(1_000, Math.min(10_000, workers * 10));
  expect(shortest).toBeGreaterThanOrEqual(Math.max(1_000, fair * 0.75));
  expect(longest).toBeLessThanOrEqual(fair);
  if (workers >= 200) expect(longest).toBeGreaterThan(shortest);
});

test('a poll that is slow by itself is never made faster', () => {
  expect(paceOf(20_000).pollMs(60_000)).toBe(60_000);
});

test('a few workers all look for an accepted execution at once; of many, each waits for half a second at most', () => {
  expect(range(() => paceOf(10).spreadMs())).toEqual([0, 0]);
  for (const workers of [100, 200, 20_000]) {
    const [first, last] = range(() => paceOf(workers).spreadMs());
    expect(first).toBeLessThan(50);
    expect(last).toBeGreaterThan(375);
    expect(last).toBeLessThanOrEqual(500);
  }
});

test('a refused worker comes back by chance within the turns of those that listen, later each time', () => {
  for (const workers of [100, 20_000]) {
    const last = (inVain: number): number => range(() => paceOf(workers).turnMs(inVain))[1];
    expect(last(1)).toBeGreaterThan(750);
    expect(last(1)).toBeLessThanOrEqual(1_000);
    expect(last(4)).toBeGreaterThan(6_000);
    expect(last(40)).toBeLessThanOrEqual(8_000);
  }
});

test('all of a hundred workers listen for notifications; of more, the oldest hundred', () => {
  const pace = paceOf(1_000);
  for (const [older, listens] of [
    [0, true],
    [99, true],
    [100, false],
    [999, false],
  ] as const) {
    // prettier-ignore
    pace.older = older;
    expect(pace.listens).toBe(listens);
  }
});

test('the pace follows the number of workers from one poll to the next, and ends', () => {
  vi.useFakeTimers();
  const pace = paceOf(1);
  let polls = 0;
  const end = pace.every(1_000, () => polls++);
  vi.advanceTimersByTime(10_000);
  expect(polls).toBe(10);
  pace.workers = 1_000;
  // The poll that was planned before still comes.
  vi.advanceTimersByTime(1_000);
  expect(polls).toBe(11);
  vi.advanceTimersByTime(100_000);
  expect(polls - 11).toBeGreaterThanOrEqual(10);
  expect(polls - 11).toBeLessThanOrEqual(13);
  pace.workers = 1;
  vi.advanceTimersByTime(10_000);
  const before = polls;
  vi.advanceTimersByTime(10_000);
  expect(polls - before).toBe(10);
  end();
  vi.advanceTimersByTime(60_000);
  expect(polls - before).toBe(10);
});
