import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compile,
  compileUnaryTests,
  FeelBudgetError,
  FeelFunction,
  FeelSyntaxError,
  scopeOf,
  Secret,
  toJson,
  type Evaluation,
  type Scope,
  type Value,
} from './index.ts';

const EMPTY = scopeOf({});

function evaluate(expression: string, scope: Scope = EMPTY): Evaluation {
  return compile(expression).evaluate(scope);
}

/** The part of the budget that an expression exceeds. */
function exceeded(expression: string, scope: Scope = EMPTY): string {
  try {
    evaluate(expression, scope);
  } catch (error) {
    if (error instanceof FeelBudgetError) return error.part;
    throw error;
  }
  return 'nothing';
}

const PROTOTYPE_NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'length'];

describe('names of prototypes', () => {
  it.each(PROTOTYPE_NAMES)('%s is no variable, member, property or function', (name) => {
    for (const expression of [
      name,
      `{}.${name}`,
      `[].${name}`,
      `"a".${name}`,
      `x.${name}`,
      `@"P1D".${name}`,
      `{}[${name}]`,
    ]) {
      const { value } = evaluate(expression, scopeOf({ x: {} }));
      expect(toJson(value) ?? []).toEqual([]);
    }
    expect(evaluate(`${name}("return 1")`).value).toBeNull();
    expect(evaluate(`get value({}, "${name}")`).value).toBeNull();
  });

  it.each(PROTOTYPE_NAMES)('%s is an ordinary key', (name) => {
    const made = evaluate(`{"${name}": {polluted: true}}`).value as { [name: string]: Value };
    expect(Object.hasOwn(made, name)).toBe(true);
    expect(Object.getPrototypeOf(made)).toBeNull();
    expect(JSON.stringify(toJson(made))).toBe(`{"${name}":{"polluted":true}}`);
    expect(evaluate(`context put({}, "${name}", 1).${name}`).value).toBe(1);
    expect(evaluate(`context merge([{"${name}": 1}])`).value).toEqual({ [name]: 1 });
    expect(evaluate(`from json("{\\"${name}\\": 5}").${name}`).value).toBe(5);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('what computes or grows without end', () => {
  it.each([
    ['steps', 'for i in 1..2000, j in 1..2000 return 1', 'listLength or steps'],
    ['steps', 'count(for i in 1..100000000 return i)', 'listLength or steps'],
    ['steps', 'some i in 1..100000000 satisfies i < 0', ''],
    ['steps', 'every i in 1..9007199254740991 satisfies true', ''],
    ['depth', '{f: function(f) f(f), r: f(f)}.r', ''],
    ['steps', '{f: function(n, f) if n = 0 then 1 else f(n - 1, f) + f(n - 1, f), r: f(40, f)}.r', ''],
    ['textLength', '{f: function(s, n, f) if n = 0 then s else f(s + s, n - 1, f), r: f("aaaaaaaaaa", 40, f)}.r', ''],
    [
      'listLength',
      '{f: function(l, n, f) if n = 0 then l else f(concatenate(l, l), n - 1, f), r: f([1, 2], 40, f)}.r',
      '',
    ],
    [
      'steps',
      'replace(string join(for i in 1..30000 return "aaaaaaaaaa"), "a", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb")',
      '',
    ],
    ['steps', 'extract(string join(for i in 1..9999 return "aaaaaaaaaa"), "(a*b|a)")', ''],
    ['steps', 'index of(for i in 1..3000 return [i, for j in 1..1000 return j], 1)', ''],
  ])('%s: %s', (part, expression, also) => {
    expect([part, ...also.split(' or ')]).toContain(exceeded(expression));
  });

  it('a pattern that makes others hang is matched in linear time', () => {
    const text = `${'a'.repeat(5000)}!`;
    expect(evaluate('matches(text, "^(a+)+$")', scopeOf({ text })).value).toBe(false);
    expect(exceeded('matches(text, "((a{100}){100}){100}")', scopeOf({ text }))).toBe('steps');
    expect(evaluate('matches(text, "(a{1001})")', scopeOf({ text })).value).toBeNull();
  });

  it('a list that is doubled in place is refused before it fills the memory', () => {
    const doubling = `{a: ["x"], b: [${'a, '.repeat(50)}a]}`;
    expect(exceeded(`${doubling}.b`)).toBe('nothing');
    const bomb = Array.from({ length: 12 }, (_, level) => `l${level + 1}: [${`l${level}, `.repeat(10)}l${level}]`);
    expect(exceeded(`string({l0: ["lol"], ${bomb.join(', ')}}.l12)`)).toMatch(/steps|textLength/);
    expect(exceeded(`to json({l0: ["lol"], ${bomb.join(', ')}}.l12)`)).toMatch(/steps|textLength/);
    expect(exceeded(`flatten({l0: ["lol"], ${bomb.join(', ')}}.l12)`)).toMatch(/steps|listLength/);
    expect(exceeded(`{l0: ["lol"], ${bomb.join(', ')}, same: l12 = l12}.same`)).toBe('steps');
  });

  it('keeps a hundred warnings at most', () => {
    expect(evaluate('for i in 1..5000 return missing').warnings).toHaveLength(100);
  });
});

describe('what is nested deep', () => {
  const deep = (open: string, close: string, levels: number, inner = '1'): string =>
    open.repeat(levels) + inner + close.repeat(levels);

  it.each([
    ['parentheses', deep('(', ')', 10_000)],
    ['lists', deep('[', ']', 10_000)],
    ['contexts', deep('{a: ', '}', 10_000)],
    ['negations', deep('-', '', 30_000)],
    ['conditions', deep('if true then ', ' else 1', 2000)],
    ['ranges', '[1..'.repeat(5000)],
    ['types', `1 instance of ${deep('list<', '>', 5000, 'number')}`],
    ['operators', `1${' + 1'.repeat(10_000)}`],
    ['paths', `a${'.a'.repeat(20_000)}`],
    ['the whole', `"${'a'.repeat(70_000)}"`],
  ])('%s in an expression are refused', (_what, expression) => {
    expect(() => compile(expression)).toThrow(FeelSyntaxError);
  });

  it('a few hundred operators are nothing special', () => {
    expect(evaluate(`1${' + 1'.repeat(900)}`).value).toBe(901);
    expect(evaluate(deep('(', ')', 150)).value).toBe(1);
  });

  it('variables nested a hundred thousand deep exceed the budget, where they are walked', () => {
    const scope = scopeOf({
      list: JSON.parse(deep('[', ']', 100_000)) as Value,
      other: JSON.parse(deep('[', ']', 100_000)) as Value,
    });
    expect(exceeded('list = other', scope)).toBe('depth');
    expect(exceeded('string(list)', scope)).toBe('depth');
    expect(exceeded('to json(list)', scope)).toBe('depth');
    expect(evaluate('flatten(list)', scope).value).toEqual([1]);
    expect(() => toJson(evaluate('list', scope).value)).toThrow(FeelBudgetError);
  });
});

describe('secrets', () => {
  const functions = new Map([
    ['secret_value', new FeelFunction(['field'], ([field]) => new Secret(typeof field === 'string' ? field : ''))],
  ]);
  const read = (expression: string): Value => compile(expression).evaluate(EMPTY, { functions }).value;

  it('can be passed on and stored, and reveal nothing', () => {
    expect(JSON.stringify(toJson(read('{token: secret_value("key")}')))).toBe('{"token":{"$secret":"key"}}');
    expect(read('string(secret_value("key"))')).toBe('[redacted]');
    expect(read('string([secret_value("key")])')).toBe('[[redacted]]');
    expect(read('secret_value("key") = secret_value("key")')).toBeNull();
    expect(read('secret_value("key") = null')).toBeNull();
    expect(read('secret_value("key") < "z"')).toBeNull();
    expect(read('secret_value("key") + "a"')).toBeNull();
    expect(read('secret_value("key").field')).toBeNull();
    expect(read('get value(secret_value("key"), "field")')).toBeNull();
  });
});

it('a function of the host that throws is a failed call', () => {
  const functions = new Map([
    [
      'broken',
      new FeelFunction([], () => {
        throw new Error('no connection');
      }),
    ],
  ]);
  const { value, warnings } = compile('broken()').evaluate(EMPTY, { functions });
  expect(value).toBeNull();
  expect(warnings.map(({ message }) => message)).toEqual(['broken: no connection']);
});

describe('random expressions', () => {
  const words = [
    ...'( ) [ ] { } , : . .. + - * / ** = != < <= > >= @ ? ` " \\ // /* */ -> $ é 🐎'.split(' '),
    ...'if then else for in return some every satisfies and or not between instance of function null true false'.split(
      ' ',
    ),
    ...'x name list date time and time( date(" count( sort( string( item partial 0 1 2.5 1e400 "a" "2030-01-31" @"P1D"'.split(
      ' ',
    ),
    'get or else(',
    'list replace(',
    'context put(',
    'range<',
    'list<number>',
    '\n',
    '\u0000',
    '\ud800',
  ];
  const scope = scopeOf({ x: 3, name: 'abc', list: [1, 'a', { item: null }], nothing: null });
  const budget = { steps: 10_000, listLength: 1000, textLength: 10_000 };

  function survives(source: string): void {
    for (const make of [compile, compileUnaryTests]) {
      try {
        const { value } = make(source).evaluate(scope, { budget });
        JSON.stringify(toJson(value));
      } catch (error) {
        if (!(error instanceof FeelSyntaxError) && !(error instanceof FeelBudgetError)) throw error;
        if (error instanceof FeelSyntaxError) expect(error.position.line).toBeGreaterThan(0);
      }
    }
  }

  it('of words throw nothing but errors of syntax and budget', () => {
    const sources = fc.array(fc.constantFrom(...words), { maxLength: 25 }).map((parts) => parts.join(' '));
    fc.assert(fc.property(sources, survives), { numRuns: 5000 });
  });

  it('of characters throw nothing but errors of syntax and budget', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 40 }), survives), { numRuns: 1000 });
    fc.assert(fc.property(fc.string({ maxLength: 40 }), survives), { numRuns: 1000 });
  });
});
