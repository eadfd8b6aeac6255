import { describe, expect, it } from 'vitest';
import { add, parseCycle, parseDate, parseDuration } from './time.ts';

const HOUR = 3_600_000;

describe('dates', () => {
  it.each([
    ['2030-01-31', '2030-01-31T00:00:00.000Z'],
    ['2030-01-31T12:30', '2030-01-31T12:30:00.000Z'],
    ['2030-01-31T12:30:15.123456789Z', '2030-01-31T12:30:15.123Z'],
    ['2030-01-31T00:30:00+01:00', '2030-01-30T23:30:00.000Z'],
    ['2030-01-31T00:30:00+01:00[Europe/Berlin]', '2030-01-30T23:30:00.000Z'],
    ['2030-07-31T00:30:00@Europe/Berlin', '2030-07-30T22:30:00.000Z'],
  ])('%s', (text, expected) => expect(new Date(parseDate(text) ?? Number.NaN).toISOString()).toBe(expected));

  it.each([
    '2030-02-30',
    '2030-13-01',
    '2030-1-1',
    '2030-01-01T25:00',
    'tomorrow',
    '',
    '2030-01-01T12',
    '2030-01-01T12:00:00@Nowhere',
  ])('not %j', (text) => {
    expect(parseDate(text)).toBeNull();
  });
});

describe('durations', () => {
  it.each([
    ['PT1H', 0, HOUR],
    ['P1DT1M', 0, 24 * HOUR + 60_000],
    ['P1Y2M', 14, 0],
    ['P2W', 0, 14 * 24 * HOUR],
    ['PT0.5S', 0, 500],
    ['-PT1S', 0, -1000],
  ])('%s', (text, months, milliseconds) => expect(parseDuration(text)).toEqual({ months, milliseconds }));

  it.each(['P', 'PT', 'P1DT', '1H', 'PT1M1H', 'PT1,5S', `PT${'9'.repeat(30)}S`])('not %j', (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  it.each([
    ['2030-01-31', 'P1M', '2030-02-28'],
    ['2032-01-31', 'P1M', '2032-02-29'],
    ['2030-11-30', 'P3M', '2031-02-28'],
    ['2030-03-31', 'P1M1D', '2030-05-01'],
  ])('%s and %s is %s', (from, duration, to) => {
    const parsed = parseDuration(duration);
    expect(parsed && new Date(add(parseDate(from) ?? 0, parsed)).toISOString().slice(0, 10)).toBe(to);
  });

  it('end where time ends', () => {
    const parsed = parseDuration('P999999999Y');
    expect(parsed && new Date(add(0, parsed)).getTime()).toBe(8_640_000_000_000_000);
  });
});

describe('cycles', () => {
  it.each([
    ['R3/PT1H', 3, null],
    ['R/PT1H', -1, null],
    ['R0/PT1H', 0, null],
    ['R2/2030-01-01T00:00:00Z/PT1H', 2, Date.parse('2030-01-01T00:00:00Z')],
  ])('%s', (text, times, start) =>
    expect(parseCycle(text)).toEqual({ times, start, every: { months: 0, milliseconds: HOUR } }),
  );

  it.each(['R3/PT0S', 'R/PT0.999S', 'R3/-PT1H', 'R-1/PT1H', 'PT1H', 'R3/', 'R3/never/PT1H', '0 0 * * *'])(
    'not %j',
    (text) => {
      expect(parseCycle(text)).toBeNull();
    },
  );
});
