import { expect, test } from 'vitest';
import { lineEndsOf, withLineEnds } from './line-ends.ts';

test.each([
  ['', 'LF'],
  ['a\nb\n', 'LF'],
  ['a\r\nb', 'CRLF'],
  ['a\r\nb\nc', 'MIXED'],
  ['a\rb', 'MIXED'],
])('the lines of %j end with %s', (text, ends) => expect(lineEndsOf(text)).toBe(ends));

test('a file keeps its ends of lines', () => {
  expect(withLineEnds('a\nb\r\nc', 'CRLF')).toBe('a\r\nb\r\nc');
  expect(withLineEnds('a\nb', 'LF')).toBe('a\nb');
});
