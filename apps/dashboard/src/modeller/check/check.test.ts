import { catchEvent, chain, end, file, script, start, timer } from '@kethub/workflow/testing/xml';
import { expect, test } from 'vitest';
import { check } from './check.ts';

/** A file with a timer at its start and one between a script and the end. */
const withTimers = (expression: string, between: string): string =>
  file([
    start('start', timer('cycle', 'R/PT1H')),
    script('script', 'x', expression),
    catchEvent('wait', timer('duration', between)),
    end('end'),
    chain('start', 'script', 'wait', 'end'),
  ]);

test('timers have their next times also in a file that has a problem elsewhere', async () => {
  const sound = await check(withTimers('=1', 'PT1M'));
  expect(sound.findings).toEqual([]);
  const broken = await check(withTimers('=1 +', 'PT1M'));
  expect(broken.findings).toMatchObject([{ elementId: 'script', isWarning: false }]);
  for (const { times } of [sound, broken]) {
    expect(times).toMatchObject({ start: { isStart: true }, wait: { isStart: false } });
    expect([times['start']?.due.length, times['wait']?.due.length]).toEqual([3, 1]);
  }
});

test('a timer that is wrong itself has no times, and the other one has', async () => {
  for (const wrong of ['soon', '=now( +', '']) {
    const { findings, times } = await check(withTimers('=1', wrong));
    expect(findings).toMatchObject([{ elementId: 'wait' }]);
    expect(times['wait']?.due ?? []).toEqual([]);
    expect(times['start']?.due.length).toBe(3);
  }
});
