import { expect, test } from 'vitest';
import { parseExact, writeExact } from '../../data/exact-json.ts';
import { exampleOf, fieldsOf, withExample, withFields } from './request-schema.ts';

test('fields of a schema are changed, and its other keywords stay', () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: { n: { type: 'integer', minimum: 1, description: 'How many.' }, m: { type: ['string', 'null'] } },
    required: ['n'],
  };
  const fields = fieldsOf(schema);
  expect(withFields(schema, fields)).toEqual(schema);
  const renamed = fields.map((field) => (field.name === 'n' ? { ...field, name: 'count', required: false } : field));
  expect(withFields(schema, renamed)).toEqual({
    type: 'object',
    additionalProperties: false,
    properties: { count: { type: 'integer', minimum: 1, description: 'How many.' }, m: { type: ['string', 'null'] } },
  });
});

test('an example keeps every digit', () => {
  const example = parseExact('{"n": 9007199254740993}') as Readonly<Record<string, unknown>>;
  const schema = withExample({}, example);
  expect(writeExact(parseExact(exampleOf(schema)), 0)).toBe('{"n":9007199254740993}');
  expect(withExample(schema, undefined)).toEqual({ type: 'object' });
});
