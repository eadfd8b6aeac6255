import { expect, test } from 'vitest';
import { RunTime } from './run-time.ts';

const HOUR = 3_600_000;

function clocksAt(wall: number) {
  const at = { wall, monotonic: 17 };
  const clocks = { wall: () => at.wall, monotonic: () => at.monotonic };
  return { at, clocks };
}

test.each([-HOUR, HOUR])(
  'a clock that is set by %d ms while something runs changes nothing of how long it ran',
  (step) => {
    const { at, clocks } = clocksAt(10 * HOUR);
    const time = new RunTime(undefined, clocks);
    at.wall += step;
    at.monotonic += 1_500;
    expect(time).toMatchObject({ startedAt: 10 * HOUR, elapsedMs: 1_500, now: 10 * HOUR + 1_500 });
  },
);

test('what an earlier runner has started has run since then, and not less than nothing when the clock went back', () => {
  const { at, clocks } = clocksAt(10 * HOUR);
  const [earlier, later] = [new RunTime(9 * HOUR, clocks), new RunTime(11 * HOUR, clocks)];
  at.monotonic += 10;
  expect(earlier).toMatchObject({ elapsedMs: HOUR + 10, now: 10 * HOUR + 10 });
  expect(later).toMatchObject({ elapsedMs: 10, now: 11 * HOUR + 10 });
});
