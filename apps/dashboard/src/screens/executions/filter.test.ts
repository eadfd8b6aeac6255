import { expect, test } from 'vitest';
import { filterOf, searchOf, statusesOf } from './filter.ts';

test('a filter in an address is read back', () => {
  const filter = {
    serviceId: '1',
    tag: 'nightly',
    status: 'FAILED,UNKNOWN',
    version: '1.0.0',
    from: '2026-01-02 03:04:05',
    tasks: false,
  };
  expect(filterOf(searchOf(filter))).toEqual(filter);
});

test('a tag of digits is a text, and what does not fit is left out', () => {
  expect(filterOf({ tag: 7, status: 'LOST,FAILED', from: 'yesterday', tasks: 'no', more: 1 })).toEqual({
    tag: '7',
    status: 'FAILED',
  });
  expect(filterOf({ service: { a: 1 }, status: ['FAILED'] })).toEqual({});
  expect(statusesOf({})).toEqual([]);
});
