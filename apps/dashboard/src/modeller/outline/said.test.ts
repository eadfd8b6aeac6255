import { expect, test } from 'vitest';
import { changeInWords } from './said.ts';
import type { Row } from './tree.ts';

const row = (id: string): Row => ({ id, name: id.toUpperCase(), type: 'Task', level: 1 });
const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(row) as [Row, Row, Row, Row, Row];

test('what was added and removed is said, and that it was taken back', () => {
  expect(changeInWords([a], [a, b], 'execute')).toBe('B added.');
  expect(changeInWords([a, b], [a], 'undo')).toBe('Undone: B removed.');
  expect(changeInWords([a], [b], 'redo')).toBe('Done again: B added, A removed.');
  expect(changeInWords([a, b, c, d, e], [], 'execute')).toBe('A, B, C and 2 more removed.');
  expect(changeInWords([a], [a], 'execute')).toBe('');
  expect(changeInWords([a], [a], 'undo')).toBe('Undone.');
});
