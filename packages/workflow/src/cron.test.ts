import { expect, it } from 'vitest';
import { nextOfCron } from './cron.ts';
import { firstStart, nextStart } from './requirements.ts';
import { accepted, refusals } from './testing/instance.ts';
import { chain, end, file, start, timer } from './testing/xml.ts';

const next = (cron: string, after: string, times = 1): string[] => {
  const found: string[] = [];
  for (let at: number | null = Date.parse(after); found.length < times && at !== null;) {
    at = nextOfCron(cron, at);
    if (at !== null) found.push(new Date(at).toISOString().slice(0, 19));
  }
  return found;
};

it.each<[string, string, readonly string[]]>([
  ['0 0 9-17 * * MON-FRI', '2030-01-04T16:30:00Z', ['2030-01-04T17:00:00', '2030-01-07T09:00:00']],
  ['*/15 * * * * *', '2030-01-01T00:00:14.5Z', ['2030-01-01T00:00:15', '2030-01-01T00:00:30']],
  [
    '0 5/20 * * * *',
    '2030-01-01T00:00:00Z',
    ['2030-01-01T00:05:00', '2030-01-01T00:25:00', '2030-01-01T00:45:00', '2030-01-01T01:05:00'],
  ],
  ['0 0 0 31 * ?', '2030-01-31T00:00:00Z', ['2030-03-31T00:00:00']],
  ['0 0 0 29 FEB *', '2030-01-01T00:00:00Z', ['2032-02-29T00:00:00', '2036-02-29T00:00:00']],
  ['0 0 0 * * 7', '2030-01-01T00:00:00Z', ['2030-01-06T00:00:00']],
  ['0 0 12 1,15 jan,jul *', '2030-01-01T12:00:00Z', ['2030-01-15T12:00:00', '2030-07-01T12:00:00']],
  ['@daily', '2030-12-31T10:00:00Z', ['2031-01-01T00:00:00']],
])('%s', (cron, after, expected) => {
  expect(next(cron, after, expected.length)).toEqual(expected);
});

it.each([
  '',
  '* * * * *',
  '60 * * * * *',
  '0 0 0 30 2 *',
  '0 0 0 L * *',
  '0 0 0 * * MON#1',
  '0 0 0 5-2 * *',
  '*/0 * * * * *',
  '0 0 0 * * * *',
  '@never',
  '0 0/5/5 * * * *',
])('no cron expression: %s', (cron) => {
  expect(nextOfCron(cron, 0)).toBeNull();
});

it('starts a workflow, each time counted from the one before', async () => {
  const graph = await accepted(file([start('s', timer('cycle', '0 30 4 * * *')), end('e'), chain('s', 'e')]));
  const first = firstStart(graph, 's', Date.parse('2030-01-01T05:00:00Z'));
  expect(new Date(first?.due ?? 0).toISOString()).toBe('2030-01-02T04:30:00.000Z');
  expect(new Date((first && nextStart(first))?.due ?? 0).toISOString()).toBe('2030-01-03T04:30:00.000Z');
});

it('is refused where it names no day', async () => {
  expect(await refusals(file([start('s', timer('cycle', '0 0 0 30 2 *')), end('e'), chain('s', 'e')]))).toEqual([
    'TIMER s',
  ]);
});
