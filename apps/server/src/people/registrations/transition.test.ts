import { approvalStatuses } from '@kethub/contract';
import { expect, test } from 'vitest';
import { transition } from './transition.ts';

test.each([
  ['PENDING', 'APPROVED', true],
  ['PENDING', 'REJECTED', true],
  ['REJECTED', 'APPROVED', true],
  ['REJECTED', 'REJECTED', true],
  ['APPROVED', 'APPROVED', true],
  ['APPROVED', 'REJECTED', false],
] as const)('%s → %s: %s', (from, status, possible) =>
  expect(transition({ status: from, enabled: true }, { status })).toEqual(possible ? { status, enabled: true } : null),
);

test('switching off and on leaves the status as it is, and goes together with a decision', () => {
  for (const status of approvalStatuses)
    for (const enabled of [true, false])
      expect(transition({ status, enabled: !enabled }, { enabled })).toEqual({ status, enabled });
  const off = { status: 'PENDING', enabled: false } as const;
  expect(transition(off, { status: 'APPROVED', enabled: true })).toEqual({ status: 'APPROVED', enabled: true });
});
