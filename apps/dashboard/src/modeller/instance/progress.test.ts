import { expect, test } from 'vitest';
import { progressAt } from './progress.ts';

const JOURNAL = [
  { seq: 1, type: 'event' },
  { seq: 2, type: 'activated', elementId: 'start', element: 2 },
  { seq: 3, type: 'completed', elementId: 'start', element: 2 },
  { seq: 4, type: 'taken', flowId: 'to_task' },
  { seq: 5, type: 'activated', elementId: 'task', element: 3 },
  { seq: 6, type: 'activated', elementId: 'task', element: 4 },
  { seq: 7, type: 'incident', incident: { incident: 5, elementId: 'task' } },
  { seq: 8, type: 'resolved', incident: 5, elementId: 'task' },
  { seq: 9, type: 'terminated', elementId: 'task', element: 4 },
  { seq: 10, type: 'completed', elementId: 'task', element: 3 },
  { seq: 11, type: 'finished' },
];

test('each step of a journal has its tokens', () => {
  expect(progressAt(JOURNAL, 1)).toEqual({ elements: new Map(), flows: new Set() });
  expect(progressAt(JOURNAL, 4).flows).toEqual(new Set(['to_task']));
  expect(progressAt(JOURNAL, 6).elements.get('task')).toEqual({ active: 2, done: 0, incidents: 0 });
  expect(progressAt(JOURNAL, 7).elements.get('task')).toEqual({ active: 2, done: 0, incidents: 1 });
  expect(progressAt(JOURNAL, 9).elements.get('task')).toEqual({ active: 1, done: 0, incidents: 0 });
  expect(progressAt(JOURNAL, Infinity).elements.get('task')).toEqual({ active: 0, done: 1, incidents: 0 });
});
