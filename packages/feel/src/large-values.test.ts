import { describe, expect, it } from 'vitest';
import { compile, FeelBudgetError, scopeOf, toJson, type JsonValue } from './index.ts';

/** Bytes of a large result of a service: 12 MiB. */
const BYTES = 12 * 1024 * 1024;
const text = `${'a'.repeat(BYTES - 6)}needle`;
const numbers = Array.from({ length: BYTES / 2 }, (_, index) => index % 10);
const decimals = Array.from({ length: BYTES / 20 }, (_, index) => index / 7);
const variables = { text, pairs: '😀'.repeat(BYTES / 4), numbers, decimals };
const evaluate = (source: string): JsonValue => toJson(compile(source).evaluate(scopeOf(variables)).value);

describe('texts and lists of 12 MiB', () => {
  it.each<[string, JsonValue]>([
    ['string length(text)', BYTES],
    ['string length(pairs)', BYTES / 4],
    ['contains(text, "needle")', true],
    ['ends with(text, "needle")', true],
    ['substring(text, -6)', 'needle'],
    ['substring(pairs, -2, 1)', '😀'],
    ['string length(substring before(text, "needle"))', BYTES - 6],
    ['string length(upper case(text))', BYTES],
    ['count(numbers)', BYTES / 2],
    ['sum(numbers)', numbers.reduce((sum, one) => sum + one, 0)],
    ['max(numbers)', 9],
    ['min(decimals)', 0],
    ['list contains(numbers, 11)', false],
    ['index of(decimals, 0)', [1]],
    ['numbers[-1]', (BYTES / 2 - 1) % 10],
    ['count(split(substring(text, 1, 10000), "a"))', 10_001],
    ['sum(sublist(decimals, 1, 40000)) > 1000', true],
  ])('are measured, searched and summed: %s', (source, expected) => {
    expect(evaluate(source)).toEqual(expected);
  });

  it.each([
    'for i in numbers return i + 1',
    'sort(numbers, function(a, b) a < b)',
    'text + text',
    'median(numbers)',
    'sum(decimals)',
  ])('say in words what is too much: %s', (source) => {
    expect(() => evaluate(source)).toThrow(FeelBudgetError);
    expect(() => evaluate(source)).toThrow(/Have a service do it\.$/);
  });
});

it.each<[string, JsonValue]>([
  ['matches("a\rb", "a.b")', false],
  ['matches("a\rb", "a.b", "s")', true],
  ['matches("a.b", "a[.]b")', true],
  ['matches("a", "\\\\0")', null],
  ['matches("hello world", "\\\\p{ IsBasicLatin }+", "x")', true],
  ['matches("grüß", "^\\\\p{IsBasicLatin}+$")', false],
  ['replace("grüß", "\\\\P{IsBasicLatin}", "?")', 'gr??'],
  ['for i in [2..1] return i', null],
  ['for i in 2..1 return i', [2, 1]],
  ['context put({a: 1}, ["a", "b"], 2)', { a: { b: 2 } }],
])('rare cases: %s', (source, expected) => {
  expect(toJson(compile(source).evaluate(scopeOf({})).value)).toEqual(expected);
});
