import { expect, test } from 'vitest';
import { hasHiddenSigns, markedLines } from './marked-lines.ts';

test.each([
  ['L3', { from: 3, to: 3 }],
  ['#L8-L3', { from: 3, to: 8 }],
  ['L0', null],
  ['', null],
  ['L3"><b>', null],
  ['L99999999', null],
])('%j marks %j', (hash, lines) => expect(markedLines(hash)).toEqual(lines));

test('signs that turn a text around are seen', () => {
  expect(hasHiddenSigns('if access != "user\u202e" {')).toBe(true);
  expect(hasHiddenSigns('שלום {')).toBe(false);
});
