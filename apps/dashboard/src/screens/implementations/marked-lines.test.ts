import { expect, test } from 'vitest';
import { hasHiddenSigns, markedLines, seenName } from './marked-lines.ts';

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

test('signs that nobody sees are written out in names', () => {
  expect(seenName('evil\u202egnp.exe')).toBe(String.raw`evil\u202egnp.exe`);
  expect(seenName('a\nb\u001b[31m')).toBe(String.raw`a\u000ab\u001b[31m`);
  expect(seenName('ü שלום 👩‍🔬 #?%2F"')).toBe('ü שלום 👩‍🔬 #?%2F"');
});
