import { afterEach, expect, test, vi } from 'vitest';
import { Pace } from './pace.ts';

const WORKERS = [1, 100, 101, 200, 1_000, 20_000];

function paceOf(workers: number, older = 0): Pace {
  return Object.assign(new Pace(), { workers, older });
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

test('a few workers all look for an accepted execution at once; of more, those that listen have turns', () => {
  const id = '01a0c2a4-0000-7000-8000-00000000002a';
  expect(paceOf(10).spreadMs(id)).toBe(0);
  const cases = [
    { workers: 50, listeners: 50, apart: 5 },
    { workers: 100, listeners: 100, apart: 5 },
    { workers: 200, listeners: 25, apart: 20 },
    { workers: 20_000, listeners: 25, apart: 20 },
  ];
  for (const { workers, listeners, apart } of cases) {
    const turns = Array.from({ length: listeners }, (_value, older) => paceOf(workers, older).spreadMs(id));
    expect(turns.toSorted((one, other) => one - other)).toEqual(turns.map((_turn, at) => at * apart));
    // Another one begins with each execution.
    const ofOne = Array.from({ length: listeners }, (_value, at) => paceOf(workers).spreadMs(at.toString(16)));
    expect(new Set(ofOne).size).toBe(listeners);
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

test('all of a hundred workers listen for notifications; of more, the oldest 25', () => {
  const listening = (workers: number): number[] =>
    Array.from({ length: workers }, (_value, older) => older).filter((older) => paceOf(workers, older).listens);
  for (const workers of [1, 100]) expect(listening(workers)).toHaveLength(workers);
  for (const workers of [101, 1_000])
    expect(listening(workers)).toEqual(Array.from({ length: 25 }, (_value, at) => at));
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
