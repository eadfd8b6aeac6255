import { expect, test } from 'vitest';
import { columnsOf } from './day-columns.ts';

test('days without executions have a column, and the newest are drawn', () => {
  const times = [{ at: '2026-01-02 00:00:00', counts: { SUCCEEDED: 2, UNKNOWN: 1, RUNNING: 4 }, runSeconds: 1 }];
  const columns = columnsOf({ from: '2026-01-01 00:00:00', to: '2026-01-03 12:00:00', times });
  expect(columns.map(({ day, total }) => [day, total])).toEqual([
    ['2026-01-01', 0],
    ['2026-01-02', 7],
    ['2026-01-03', 0],
  ]);
  expect(columns[1]).toMatchObject({ succeeded: 2, failed: 1, others: 4 });
  expect(columnsOf({ from: '2020-01-01 00:00:00', to: '2026-01-01 00:00:00', times: [] })).toHaveLength(92);
});
