import { expect, test } from 'vitest';
import type { StoredState } from '../types.ts';
import { fromStored, toStored } from './stored.ts';

test('an instance that version 1 has stored is read: incidents, waiting tokens, what loops have collected', () => {
  const head = { processId: 'p', seed: '', phase: 'RUNNING', seq: 9, nextKey: 7, draws: 0, outputs: {}, error: null };
  const element = { key: 1, elementId: 'p', scope: 0, phase: 'ACTIVE', variables: { a: 1 } };
  const token = { gateway: 'join', flow: 'f' };
  const incident = { incident: 6, element: 1, elementId: 'x', type: 'DEADLOCK', at: 0, error: {} };
  const read = fromStored({
    ...head,
    v: 1,
    secrets: [],
    caughtOutside: null,
    elements: {
      1: { ...element, waiting: [token, { ...token, flow: 'g' }, token] },
      2: { ...element, key: 2, scope: 1, loop: { size: 3, started: 2, completed: 1, output: [5, null, null] } },
    },
    timers: {},
    subscriptions: {},
    incidents: [incident],
  } as unknown as StoredState);
  expect(toStored(read)).toMatchObject({
    ...head,
    v: 2,
    nextKey: 10,
    work: null,
    elements: {
      1: {
        ...element,
        waiting: [
          { ...token, count: 2 },
          { gateway: 'join', flow: 'g', count: 1 },
        ],
      },
      2: { loop: { size: 3, started: 2, completed: 1, output: 7 } },
    },
    incidents: { 6: incident },
    collected: { 7: 5, 8: null, 9: null },
  });
  expect(read.index.incidents.get(1)?.first()).toBe(6);
});
