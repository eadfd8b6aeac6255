import { describe, expect, it } from 'vitest';
import { compile, ExactNumber, scopeOf, toJson, type EvaluateOptions, type JsonValue } from './index.ts';

const CLOCK: EvaluateOptions = {
  now: () => ({ epochMilliseconds: Date.UTC(2030, 0, 31, 12), timeZone: 'Europe/Berlin' }),
  random: () => 0.25,
  uuid: () => '3f1c1f6e-5d5c-4a0e-9d0e-0d9c9f1b2a3c',
};

const VARIABLES: { readonly [name: string]: JsonValue } = {
  x: 4,
  name: 'abc',
  flag: true,
  nothing: null,
  graph: {
    nodes: [
      { id: 1, weight: 0.5 },
      { id: 2, weight: 1.5 },
      { id: 3, weight: 1 },
    ],
  },
  array: [10, 20, 30],
  count: 7,
  'first name': 'Ada',
};

function evaluate(expression: string): JsonValue {
  return toJson(compile(expression).evaluate(scopeOf(VARIABLES), CLOCK).value);
}

describe('what the specification of workflow services shows', () => {
  it.each<[string, JsonValue]>([
    ['x', 4],
    ['"text"', 'text'],
    ['12.5', 12.5],
    ['true', true],
    ['graph.nodes', VARIABLES.graph ? (VARIABLES.graph as { nodes: JsonValue }).nodes : null],
    ['array[1]', 10],
    ['array[-1]', 30],
    ['get or else(missing, "default")', 'default'],
    ['get or else(name, "default")', 'abc'],
    ['string(1.50)', '1.5'],
    ['upper case(name)', 'ABC'],
    ['lower case("ABC")', 'abc'],
    ['count(array)', 3],
    ['sum(array)', 60],
    ['now()', '2030-01-31T13:00:00+01:00[Europe/Berlin]'],
    ['x > 3', true],
    ['x < 3', false],
    ['x = 4', true],
    ['x != 4', false],
    ['x > 3 and name = "abc"', true],
    ['x > 5 or flag', true],
    ['not(flag)', false],
    ['[1, "a", null]', [1, 'a', null]],
    ['{data: array, params: {n: x}}', { data: [10, 20, 30], params: { n: 4 } }],
    ['for i in array return i / 10', [1, 2, 3]],
  ])('%s', (expression, expected) => {
    expect(evaluate(expression)).toEqual(expected);
  });
});

describe('numbers', () => {
  it.each<[string, JsonValue]>([
    ['0.1 + 0.2 = 0.3', true],
    ['0.1 * 3', 0.3],
    ['1e3 + 2E2', 1200],
    ['1.5e-3', 0.0015],
    ['1 / 3 * 3 = 1', false],
    ['decimal(1 / 3, 2)', 0.33],
    ['9007199254740991 + 2 = 9007199254740993', true],
    ['string(9007199254740991 * 10)', '90071992547409910'],
    ['string(0.0000001)', '0.0000001'],
    ['-3 ** 2', 9],
    ['2 ** 0.5 > 1.41421356', true],
    ['10 / 0', null],
    ['0 ** -1', null],
    ['(-8) ** (1 / 3)', null],
    ['modulo(-12, 5)', 3],
    ['modulo(10.1, -4.5)', -3.4],
    ['round half up(2.5, 0)', 3],
    ['decimal(2.5, 0)', 2],
    ['round up(-1.126, 2)', -1.13],
    ['floor(-1.5)', -2],
    ['round down(12345, -2)', 12300],
    ['string(exp(1))', '2.718281828459045235360287471352662'],
    ['10 ** 7000', null],
    ['10 ** 400', new ExactNumber('1e+400')],
    ['12345678901234567890 + 1', new ExactNumber('12345678901234567891')],
    ['10 ** 400 / 10 ** 399', 10],
  ])('%s', (expression, expected) => {
    expect(evaluate(expression)).toEqual(expected);
  });
});

describe('logic and comparisons', () => {
  it.each<[string, JsonValue]>([
    ['true and null', null],
    ['false and null', false],
    ['null or true', true],
    ['nothing or false', null],
    ['x = "4"', null],
    ['x != "4"', null],
    ['x > "3"', null],
    ['null = null', true],
    ['nothing != null', false],
    ['true > false', null],
    ['null < 1', null],
    ['if "a" then 1 else 2', 2],
    ['if nothing then 1 else 2', 2],
    ['x between 4 and 5', true],
    ['x in [1..4)', false],
    ['x in (1..4]', true],
    ['x in (> 3, "a")', true],
    ['x in (1, 2, [3..5])', true],
    ['x in ([1, 2], 7)', false],
    ['5 in (? > 4)', true],
    ['"b" in ["a".."c"]', true],
    ['some i in array satisfies i > 25', true],
    ['every i in array satisfies i > 25', false],
    ['every i in [] satisfies false', true],
    ['some i in [1, null] satisfies i > 1', null],
    ['[1, [2]] = [1, [2]]', true],
    ['{a: 1, b: 2} = {b: 2, a: 1}', true],
    ['1 instance of number', true],
    ['[1, 2] instance of list<number>', true],
    ['{a: 1} instance of context<a: string>', false],
    ['null instance of Any', false],
    ['@"P1D" instance of day-time-duration', true],
  ])('%s', (expression, expected) => {
    expect(evaluate(expression)).toEqual(expected);
  });
});

describe('lists and contexts', () => {
  it.each<[string, JsonValue]>([
    ['graph.nodes.id', [1, 2, 3]],
    ['graph.nodes[weight > 0.5].id', [2, 3]],
    ['graph.nodes[item.weight > 0.5][1].id', 2],
    ['array[item > 15]', [20, 30]],
    ['array[odd(item / 10)]', [10, 30]],
    ['array[> 15]', [20, 30]],
    ['array[0]', null],
    ['array[4]', null],
    ['[][1]', null],
    ['[][item > 1]', []],
    ['[1, 2]["a"]', null],
    ['[1, null, 3][item > 2]', [3]],
    ['[{a: true}, {a: 1}][a]', null],
    ['5[1]', 5],
    ['{a: 1, b: a + 1}.b', 2],
    ['{"first name": "x"}.first name', 'x'],
    ['{a: {b: 1}}.a.b', 1],
    ['nothing.member', null],
    ['for i in 1..3 return i * i', [1, 4, 9]],
    ['for i in 3..1 return i', [3, 2, 1]],
    ['for i in [1..4) return i', [1, 2, 3]],
    ['for i in 1..2, j in i..2 return i * 10 + j', [11, 12, 22]],
    ['for i in 0..5 return if i < 2 then i else partial[-1] + partial[-2]', [0, 1, 1, 2, 3, 5]],
    ['for i in 1..3 return partial', [[], [[]], [[], [[]]]]],
    ['for d in @"2030-02-27"..@"2030-03-01" return d', ['2030-02-27', '2030-02-28', '2030-03-01']],
    ['sort([3, 1, 2], function(a, b) a < b)', [1, 2, 3]],
    ['{f: function(a, b) a - b}.f(b: 1, a: 3)', 2],
    ['(function(n: number) n + 1)("a")', null],
    ['{fac: function(n, f) if n < 2 then 1 else n * f(n - 1, f), r: fac(5, fac)}.r', 120],
    ['count(array) + count', 10],
    ['`first name`', 'Ada'],
    ['distinct values([1, 1.0, "1", [1], [1], null, null])', [1, '1', [1], null]],
    ['flatten([[1, [2]], 3])', [1, 2, 3]],
    ['string([1, "a", {b: null}])', '[1, "a", {b:null}]'],
    ['to json({a: [1, @"2030-01-31"]})', '{"a":[1,"2030-01-31"]}'],
    ['from json("{\\"a\\": [1, true]}").a', [1, true]],
    ['partition([1, 2, 3], 2)', [[1, 2], [3]]],
    ['random number()', 0.25],
    ['string length(uuid())', 36],
  ])('%s', (expression, expected) => {
    expect(evaluate(expression)).toEqual(expected);
  });
});

describe('texts', () => {
  it.each<[string, JsonValue]>([
    ['"a\\tb\\u0041\\U01F40E\\"\\\\"', 'a\tbA🐎"\\'],
    ['string length("🐎😀")', 2],
    ['substring("🐎foo", 2, 2)', 'fo'],
    ['substring("foobar", -2)', 'ar'],
    ['split("a;b;;", ";")', ['a', 'b', '', '']],
    ['split("John Doe", "\\s")', ['John', 'Doe']],
    ['replace("2030-01", "(\\d+)-(\\d+)", "$2/$1")', '01/2030'],
    ['replace("abc", "b", "\\$")', 'a$c'],
    ['matches("Foo", "^foo", "i")', true],
    ['matches("a b", "a b", "x")', false],
    ['matches("hello world", "hello\\ sworld", "x")', true],
    ['matches("X", "^[A-Z-[OI]]$")', true],
    ['matches("o", "^[A-Z-[OI]]$", "i")', false],
    ['replace("a-b^c]", "[^a-c-[\\]]]", "#")', 'a#b#c]'],
    ['matches("m", "\\p{Lu}", "i")', false],
    ['matches("é٣_", "^\\w\\d\\w$")', true],
    ['matches("é٣-_", "^[\\w\\W]+$")', true],
    ['matches("_", "[\\W]")', false],
    ['replace("x:é-1 2", "\\i\\c*", "#")', '# 2'],
    ['matches("a", "(")', null],
    ['matches("aa", "(a)\\1")', null],
    ['extract("1 and 22", "[0-9]+")', ['1', '22']],
    ['trim("  a ")', 'a'],
    ['is blank(" ")', true],
    ['from base64(to base64("é🐎"))', 'é🐎'],
    ['"a" // the rest\n + /* nothing */ "b"', 'ab'],
  ])('%s', (expression, expected) => {
    expect(evaluate(expression)).toEqual(expected);
  });
});

describe('dates and times', () => {
  it.each<[string, JsonValue]>([
    ['today()', '2030-01-31'],
    ['@"2030-01-31" + @"P1M"', '2030-02-28'],
    ['date("2030-02-29")', null],
    ['@"2030-03-31T01:30:00@Europe/Berlin" + @"PT1H"', '2030-03-31T03:30:00+02:00[Europe/Berlin]'],
    ['string(@"2030-10-27T02:30:00@Europe/Berlin".time offset)', 'PT2H'],
    ['@"2030-01-31T12:00:00Z" = @"2030-01-31T13:00:00@Europe/Berlin"', true],
    ['@"2030-01-31T12:00:00Z" < @"2030-01-31T12:00:01+00:00"', true],
    ['string(now() - @"2030-01-01T00:00:00Z")', 'P30DT12H'],
    ['@"23:30:00" + @"PT1H"', '00:30:00'],
    ['@"2030-01-31".weekday', 4],
    ['day of week(@"2030-01-31")', 'Thursday'],
    ['week of year(@"2027-01-01")', 53],
    ['string(@"P1Y2M" * 2)', 'P2Y4M'],
    ['@"P1D" / @"PT6H"', 4],
    ['@"P1M" > @"P1D"', null],
    ['duration("P1DT2H").hours', 2],
    ['last day of month(@"2028-02-10")', '2028-02-29'],
    ['date and time(@"2030-01-31T12:00:00Z", "Asia/Tokyo")', '2030-01-31T21:00:00+09:00[Asia/Tokyo]'],
    ['date and time("2030-01-31T12:00:00+01:00[Europe/Berlin]")', '2030-01-31T12:00:00+01:00[Europe/Berlin]'],
    ['string(date(-999999999, 1, 1))', '-999999999-01-01'],
    ['date(999999999, 12, 31) + @"P1D"', null],
  ])('%s', (expression, expected) => {
    expect(evaluate(expression)).toEqual(expected);
  });
});
