import { expect, it } from 'vitest';
import { compile, compileUnaryTests, FeelSyntaxError, scopeOf } from '../index.ts';

function errorOf(expression: string): FeelSyntaxError {
  try {
    compile(expression);
  } catch (error) {
    if (error instanceof FeelSyntaxError) return error;
    throw error;
  }
  throw new Error('The expression was accepted.');
}

it.each([
  ['x +', 'Expected a value, found the end of the expression', 1, 4],
  ['x +\n  )', 'Expected a value, found )', 2, 3],
  ['first name', '"first name" is not a known name; put a name with spaces into back-ticks', 1, 1],
  ['not true', 'Expected "(" after not, found true', 1, 5],
  ['[1, 2', 'Expected "]", found the end of the expression', 1, 6],
  ['[1,, 2]', 'Expected a value, found ,', 1, 4],
  ['{a: 1,}', 'Expected a key, found }', 1, 7],
  ['f(1,)', 'Expected a value, found )', 1, 5],
  ['f(a: 1, 2)', 'Either all arguments have names or none', 1, 1],
  ['"abc', 'The text has no end: add a quotation mark.', 1, 1],
  ['1 /* abc', 'The comment has no end: add */.', 1, 3],
  ['$secrets.token', 'Expected a value, found $', 1, 1],
  ['x.$y', 'Expected a name after ".", found $', 1, 3],
  ['2x', 'Expected an operator after the number, found x', 1, 2],
  ['1e9999', 'The number is out of range', 1, 1],
  ['if x then 1', 'Expected "else", found the end of the expression', 1, 12],
  ['for x in y', 'Expected "return", found the end of the expression', 1, 11],
  ['', 'Expected a value, found the end of the expression', 1, 1],
  ['@today', 'Expected a text such as "2030-01-31" after "@", found today', 1, 2],
])('%j: %s', (expression, message, line, column) => {
  const error = errorOf(expression);
  expect(error.message).toBe(`${message} (line ${line}, column ${column})`);
  expect(error.position).toMatchObject({ line, column });
});

it.each([
  ['a + b.c', ['a', 'b'], []],
  ['count(list) + f(x)', ['list', 'x'], ['count', 'f']],
  ['for i in list return i + j', ['list', 'j'], []],
  ['list[item.a > limit and b = 1]', ['list', 'limit', 'b'], []],
  ['{a: x, b: a + y}', ['x', 'y'], []],
  ['function(a) a + z', ['z'], []],
  ['some v in vs satisfies v in (? > w)', ['vs', 'w'], []],
  ['secret_value("key")', [], ['secret_value']],
  ['get or else(`a b`, date and time("x"))', ['a b'], ['get or else', 'date and time']],
])('%s reads %j and calls %j', (expression, variables, calls) => {
  const compiled = compile(expression);
  expect([compiled.variables, compiled.calls]).toEqual([variables, calls]);
});

it('warnings say where and why', () => {
  const { warnings } = compile('x.y +\n missing').evaluate(scopeOf({ x: {} }));
  expect(warnings).toEqual([
    {
      code: 'NO_CONTEXT_ENTRY_FOUND',
      message: 'There is no member "y".',
      position: { from: 0, to: 3, line: 1, column: 1 },
    },
    {
      code: 'NO_VARIABLE_FOUND',
      message: 'There is no variable "missing".',
      position: { from: 7, to: 14, line: 2, column: 2 },
    },
    {
      code: 'INVALID_TYPE',
      message: 'null cannot be added to null.',
      position: { from: 0, to: 14, line: 1, column: 1 },
    },
  ]);
});

it('names with spaces and signs can be declared beforehand', () => {
  const scope = scopeOf({ 'Monthly Salary': 10, 'a-b': 3, a: 1, b: 1, person: { 'first name': 'Ada' } });
  const read = (source: string): unknown =>
    compile(source, { names: ['Monthly Salary', 'a-b', 'first name'] }).evaluate(scope).value;
  expect(read('12 * Monthly  Salary')).toBe(120);
  expect(read('a-b')).toBe(3);
  expect(read('person.first name')).toBe('Ada');
});

it.each([
  ['-', 1, true],
  ['< 5', 4, true],
  ['< 5', 5, false],
  ['1, [3..5]', 4, true],
  ['not(1, 2)', 2, false],
  ['not(1, 2)', 3, true],
  ['? > 3 and ? < 5', 4, true],
  ['"a"', 4, null],
])('the unary tests %s of %j are %j', (tests, input, expected) => {
  expect(compileUnaryTests(tests).evaluate(scopeOf({ '?': input })).value).toBe(expected);
});
