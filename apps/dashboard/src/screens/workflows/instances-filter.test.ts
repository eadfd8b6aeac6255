import { expect, test } from 'vitest';
import { dayAfter } from '../../data/workflow-queries.ts';
import { filterIn, searchOf } from './instances-filter.tsx';

test('the filter of an address is read, and written as it was', () => {
  const search = {
    phase: 'RUNNING',
    incidents: true,
    version: '1.0.0',
    element: 'double',
    error: 'HUB_SERVICE_FAILED',
    from: '2026-01-31',
    to: '2026-02-01',
  };
  expect(searchOf(filterIn(search))).toEqual(search);
  expect(filterIn({ element: 7 })).toEqual({ elementId: '7' });
});

test('what is no filter is left out', () => {
  const search = { phase: 'GONE', incidents: 'yes', version: '1', element: '', from: '2026-02-31x', to: 'today', x: 1 };
  expect(filterIn(search)).toEqual({});
});

test('the last day is included', () => {
  expect(dayAfter('2026-02-28')).toBe('2026-03-01');
  expect(dayAfter('2026-12-31')).toBe('2027-01-01');
});
