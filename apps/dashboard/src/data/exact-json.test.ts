import { expect, test } from 'vitest';
import { ExactNumber, parseExact, toNumber, writeExact } from './exact-json.ts';

test.each(['12345678901234567890', '18446744073709551616', '-9007199254740993', '0.12345678901234567890', '1e400'])(
  '%s keeps every digit, read and written',
  (text) => {
    const value = parseExact(`{"n":${text}}`) as { n: unknown };
    expect(value.n).toBeInstanceOf(ExactNumber);
    expect(String(value.n)).toBe(text);
    expect(writeExact(value, 0)).toBe(`{"n":${text}}`);
  },
);

test.each(['0', '-1', '9007199254740991', '0.1', '1e-7', '3.141592653589793'])('%s is a plain number', (text) =>
  expect(parseExact(text)).toBe(Number(text)),
);

test('an exact number is drawn as the double next to it', () => {
  expect(toNumber(new ExactNumber('18446744073709551616'))).toBe(2 ** 64);
  expect(toNumber('1')).toBeNull();
});
