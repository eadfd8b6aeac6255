import { expect, test } from 'vitest';
import { writeExact } from '../data/exact-json.ts';
import { fieldsOf } from './schema.ts';
import { complaintsOf, defaultsOf, inputOf, jsonOf, listOf, numberOf, sampleOf, textOf, Unfinished } from './values.ts';

const fields = fieldsOf([
  {
    name: 'data',
    kind: 'data',
    required: true,
    schema: {
      type: 'object',
      properties: { qubits: { type: 'integer', default: 3 }, name: { type: 'string' } },
      required: ['name'],
    },
  },
  { name: 'params', kind: 'other', required: true, schema: { type: 'object', properties: { a: { type: 'number' } } } },
  { name: 'token', kind: 'secret', required: true },
]);

test.each([
  ['12345678901234567890', true, '12345678901234567890'],
  ['1.0', false, '1.0'],
  ['-0.5e3', false, '-0.5e3'],
  ['7', true, '7'],
])('%s is sent as it was typed', (text, isInteger, written) => {
  const value = numberOf(text, isInteger);
  expect(writeExact(value, 0)).toBe(written);
  expect(textOf(value)).toBe(text);
});

test.each([
  ['1.5', true],
  ['1.', false],
  ['0x10', false],
  ['one', true],
])('%s is unfinished', (text, isInteger) => {
  expect(numberOf(text, isInteger)).toBeInstanceOf(Unfinished);
  expect(textOf(numberOf(text, isInteger))).toBe(text);
});

test('an empty input is an absent member', () => {
  expect([numberOf(' ', true), jsonOf(''), listOf(' , ', 'text')]).toEqual([undefined, undefined, undefined]);
});

test('lists are separated by commas or lines', () => {
  expect(listOf('1, 2\n3', 'integer')).toEqual([1, 2, 3]);
  expect(listOf('a,b', 'text')).toEqual(['a', 'b']);
  expect(listOf('1, x', 'number')).toBeInstanceOf(Unfinished);
});

test('defaults of the schema are filled in', () => expect(defaultsOf(fields)).toEqual({ data: { qubits: 3 } }));

test('what is missing or unfinished is named by its pointer', () => {
  expect(complaintsOf(fields, defaultsOf(fields))).toEqual(
    new Map([
      ['/data/name', 'This is needed.'],
      ['/token', 'This is needed.'],
    ]),
  );
  const typed = { data: { name: 'a', qubits: numberOf('1.', true) }, token: 's' };
  expect([...complaintsOf(fields, typed).keys()]).toEqual(['/data/qubits']);
});

test('a required group is an empty object, and secrets stand apart', () => {
  const input = inputOf(fields, { data: { name: 'a' }, token: 's' });
  expect(input).toEqual({ data: { name: 'a' }, params: {}, $secrets: { token: 's' } });
});

test('an input to begin with has the defaults, and something for what is needed', () => {
  expect(sampleOf(fields)).toEqual({ data: { qubits: 3, name: '…' }, params: {}, $secrets: { token: '…' } });
});
