import { expect, test } from 'vitest';
import { added, keysOf } from './live.ts';

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
