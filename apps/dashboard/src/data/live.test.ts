import { expect, test } from 'vitest';
import { formQuery } from './form-query.ts';
import { added, isRenewed, keysOf, RENEWED_PAGES } from './live.ts';

test('an event renews what it concerns in its context', () => {
  const [list, status] = keysOf({ id: 'a.1', event: 'execution', organizationId: 'o', executionId: 'e' });
  expect([list, status]).toEqual([
    ['/org/o', 'executions'],
    ['/org/o', 'execution', 'e', 'status'],
  ]);
  expect(keysOf({ id: 'a.1', event: 'build', serviceId: 's', version: '1.0.0' })).toContainEqual(['/me', 'services']);
  expect(keysOf({ id: 'a.1', event: 'reset' })).toEqual([[]]);
});

test('keys are collected once each; too many, and a reset, renew everything', () => {
  const one = [['/me', 'executions']];
  expect(added(one, one)).toEqual(one);
  expect(added(one, [[]])).toEqual([[]]);
  expect(
    added(
      [],
      Array.from({ length: 500 }, (_, at) => ['/me', at]),
    ),
  ).toEqual([[]]);
});

test('a list of many pages is not renewed, nor what a form began with; everything else is', () => {
  const queryKey = ['/me', 'services'];
  const pages = (count: number) => ({ queryKey, state: { data: { pages: Array.from({ length: count }, () => []) } } });
  expect([isRenewed(pages(RENEWED_PAGES)), isRenewed(pages(RENEWED_PAGES + 1))]).toEqual([true, false]);
  for (const data of [undefined, null, [], { pages: 'none' }, 'text'])
    expect(isRenewed({ queryKey, state: { data } })).toBe(true);
  expect(isRenewed({ queryKey: formQuery(['share'], async () => null).queryKey, state: {} })).toBe(false);
  expect(isRenewed({ queryKey: [], state: {} })).toBe(true);
});
