import { executionStatuses, isFinal } from '@kethub/contract';
import { describe, expect, test } from 'vitest';
import { after, before, transition, type ExecutionEvent } from './transition.ts';

const events: ExecutionEvent[] = ['CLAIMED', 'NOT_STARTED', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'LOST'];

describe('the table of moves', () => {
  test.each([
    ['PENDING', 'CLAIMED', 'RUNNING'],
    ['PENDING', 'CANCELLED', 'CANCELLED'],
    ['PENDING', 'SUCCEEDED', null],
    ['PENDING', 'LOST', null],
    ['RUNNING', 'CLAIMED', null],
    ['RUNNING', 'NOT_STARTED', 'PENDING'],
    ['RUNNING', 'LOST', 'UNKNOWN'],
    ['RUNNING', 'CANCELLED', 'CANCELLED'],
  ] as const)('%s + %s → %s', (status, event, next) => expect(transition(status, event)).toBe(next));

  test('nothing leaves a final status, but for the FAILED of a workflow, which can be mended', () => {
    for (const status of executionStatuses.filter(isFinal)) {
      for (const event of events) expect(transition(status, event)).toBeNull();
    }
  });

  test('every event leads to one status, so that one SQL update can make the move', () => {
    for (const event of events)
      expect(before(event).every((status) => transition(status, event) === after(event))).toBe(true);
  });
});
