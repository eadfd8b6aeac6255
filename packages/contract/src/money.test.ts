import { expect, test } from 'vitest';
import { costOf, currencies, fromMicros, fromMinorUnits, toMicros } from './money.ts';

test.each([
  ['0', 0n],
  ['0.05', 50_000n],
  ['12.000001', 12_000_001n],
  ['999999999.999999', 999_999_999_999_999n],
])('%s is %s millionths, and back', (text, micros) => {
  expect(toMicros(text)).toBe(micros);
  expect(fromMicros(micros)).toBe(text);
});

test('a decimal text has one shortest form', () => expect(fromMicros(toMicros('1.500000'))).toBe('1.5'));

test.each([
  ['3', '0.10', 'EUR', '0.30'],
  ['1', '0.005', 'EUR', '0.01'],
  ['1', '0.004999', 'EUR', '0.00'],
  ['3', '0.5', 'JPY', '2'],
  ['0.333333', '0.3', 'KWD', '0.100'],
  ['1000000000', '999999999.999999', 'USD', '999999999999999000.00'],
])('%s units at %s %s cost %s', (amount, unitPrice, currency, cost) =>
  expect(fromMinorUnits(costOf(toMicros(amount), unitPrice, currency), currency)).toBe(cost),
);

test('every currency is a code of its own', () => {
  expect(new Set(currencies).size).toBe(currencies.length);
  for (const code of currencies) expect(code).toMatch(/^[A-Z]{3}$/);
  expect(() => costOf(1n, '1', 'XXX')).toThrow(RangeError);
});
