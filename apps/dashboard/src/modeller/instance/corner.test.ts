import { expect, test } from 'vitest';
import { cornerFor } from './corner.ts';

const task = { x: 100, y: 100, width: 100, height: 80 };
const event = { x: 100, y: 100, width: 36, height: 36 };

test('a mark stands at the lower right of a task and at the upper right of an event', () => {
  expect(cornerFor(task, [])).toEqual({ bottom: 10, right: 10 });
  expect(cornerFor(event, [{ x: 90, y: 140, width: 60, height: 14 }])).toEqual({ top: -10, right: 10 });
});

test('a mark goes where it covers no label', () => {
  const above = { x: 110, y: 82, width: 60, height: 14 };
  expect(cornerFor(event, [above])).toEqual({ top: -10, left: -14 });
  const wide = { x: 60, y: 82, width: 140, height: 14 };
  expect(cornerFor(event, [wide])).toEqual({ bottom: 10, left: -14 });
  expect(cornerFor(task, [{ x: 190, y: 170, width: 40, height: 14 }])).toEqual({ top: -10, right: 10 });
});

test('a mark that covers a label everywhere stands where it usually does', () => {
  expect(cornerFor(event, [{ x: 0, y: 0, width: 400, height: 400 }])).toEqual({ top: -10, right: 10 });
});
