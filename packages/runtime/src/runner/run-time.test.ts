import { expect, test } from 'vitest';
import { machine, momentNow } from './moment.ts';
import { RunTime } from './run-time.ts';

const HOUR = 3_600_000;

function clocksAt(wall: number) {
  const at = { wall, monotonic: 17 };
  const clocks = { wall: () => at.wall, monotonic: () => at.monotonic, boot: 'one' };
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
    // The next runner of the machine has the same clocks.
    at.wall += step;
    at.monotonic += 1_000;
    const later = new RunTime({ at: 10 * HOUR, tick: { boot: 'one', monotonic: 17 } }, clocks);
    expect(later).toMatchObject({ startedAt: 10 * HOUR, elapsedMs: 2_500, now: 10 * HOUR + 2_500 });
  },
);

test.each([undefined, { boot: 'another', monotonic: 17 }, { boot: '', monotonic: 17 }])(
  'what was started before this boot (%j) has run since then, and not less than nothing when the clock went back',
  (tick) => {
    const { at, clocks } = clocksAt(10 * HOUR);
    const from = tick?.boot === '' ? { ...clocks, boot: '' } : clocks;
    const [earlier, later] = [new RunTime({ at: 9 * HOUR, tick }, from), new RunTime({ at: 11 * HOUR, tick }, from)];
    at.monotonic += 10;
    expect(earlier).toMatchObject({ elapsedMs: HOUR + 10, now: 10 * HOUR + 10 });
    expect(later).toMatchObject({ elapsedMs: 10, now: 11 * HOUR + 10 });
  },
);

test('this machine names its boot, and its clock goes on', () => {
  const [first, second] = [momentNow(), momentNow()];
  expect(first.tick.boot).toMatch(/^[0-9a-f-]{36}$/);
  expect(second.tick.monotonic).toBeGreaterThanOrEqual(first.tick.monotonic);
  expect(machine.monotonic()).toBeGreaterThanOrEqual(second.tick.monotonic);
});
