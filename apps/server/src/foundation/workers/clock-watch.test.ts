import { expect, test } from 'vitest';
import { ClockWatch } from './clock-watch.ts';

const HOUR_MS = 3_600_000;

test('a clock that is set is told once, in either direction, and one that is adjusted is not', () => {
  let [clock, elapsed] = [1_000_000_000, 5];
  const watch = new ClockWatch(
    () => clock,
    () => elapsed,
  );
  const pass = (ms: number, set = 0): string | null => {
    elapsed += ms;
    clock += ms + set;
    return watch.look();
  };
  expect(pass(30_000)).toBeNull();
  expect(pass(30_000, 800)).toBeNull();
  expect(pass(30_000, 6 * HOUR_MS)).toContain('gone forward by 360 minutes');
  expect(pass(30_000)).toBeNull();
  expect(pass(30_000, -12 * HOUR_MS)).toContain('set back by 720 minutes');
  expect(pass(10 * HOUR_MS)).toBeNull();
});
