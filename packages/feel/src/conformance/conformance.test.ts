import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readCases } from './cases.ts';
import { reportOf, runCase } from './run.ts';

const file = process.env.KETHUB_FEEL_CASES;
const isPresent = file !== undefined && existsSync(file);
const reason = isPresent ? '' : ' (skipped: KETHUB_FEEL_CASES names no file of cases)';

it.skipIf(!isPresent)(`the cases pass and fail as packages/feel/conformance.json says${reason}`, () => {
  const committed: unknown = JSON.parse(readFileSync(new URL('../../conformance.json', import.meta.url), 'utf8'));
  const timeless = (): number => 0;
  expect(reportOf(readCases(file ?? '').map((one) => runCase(one, timeless)))).toEqual(committed);
});

it('distinguishes a wrong value from a right one', () => {
  const one = { id: 'a', group: 'g', context: { x: { type: 'number', value: '2' } } };
  const run = (expression: string, type: string, value?: unknown): string =>
    runCase({ ...one, expression, expected: { type, value } }, () => 0).kind;
  expect(run('x + 1', 'number', '3.00000000001')).toBe('passed');
  expect(run('x + 1', 'number', '3.1')).toBe('wrong');
  expect(run('x + 1', 'string', '3')).toBe('wrong');
  expect(run('x +', 'null')).toBe('passed');
  expect(
    run('[x, @"P1D"]', 'list', [
      { type: 'number', value: '2' },
      { type: 'duration', value: 'PT24H' },
    ]),
  ).toBe('passed');
  expect(run('{a: x}', 'context', { a: { type: 'number', value: '2' }, b: { type: 'null' } })).toBe('wrong');
});

it('counts a case that takes too long as failed', () => {
  let clock = 0;
  const outcome = runCase(
    { id: 'a', group: 'g', expression: '1', context: {}, expected: { type: 'number', value: '1' } },
    () => (clock += 201),
  );
  expect(outcome.kind).toBe('too slow');
  expect(reportOf([outcome]).total).toEqual({ passed: 0, total: 1, tooSlow: 1, exceptions: 0 });
});
