import { describe, expect, it } from 'vitest';
import { createValidator, problemOfSchema, type RequestSchema } from './schema.ts';

const pointers = (schema: RequestSchema, input: unknown): string[] =>
  createValidator(schema)
    .check(input, 100)
    .map(({ pointer }) => pointer);
const member = (schema: RequestSchema): RequestSchema => ({ type: 'object', properties: { a: schema } });

describe('Generated API', () => {
  it('1. … Missing required fields, wrong types and values outside an enum are rejected before execution.', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' }, mode: { enum: ['fast'] } },
      required: ['shots'],
    };
    expect(pointers(schema, { n: 'x', mode: 'slow' }).toSorted()).toEqual(['/mode', '/n', '/shots']);
    expect(pointers(schema, { n: 1, mode: 'fast', shots: 1 })).toEqual([]);
  });

  it.each<[string, RequestSchema, unknown, unknown]>([
    ['type string', { type: 'string' }, 'x', 1],
    ['type number', { type: 'number' }, 1.5, '1.5'],
    ['type integer', { type: 'integer' }, 1, 1.5],
    ['type boolean', { type: 'boolean' }, true, 'true'],
    ['type array', { type: 'array' }, [], {}],
    ['type object', { type: 'object' }, {}, []],
    ['required', { type: 'object', required: ['x'] }, { x: 1 }, {}],
    ['enum', { enum: ['x', 2] }, 2, 3],
    ['format (for example uuid)', { type: 'string', format: 'uuid' }, '01890000-0000-7000-8000-000000000001', 'x'],
    ['pattern', { type: 'string', pattern: '^[a-z]+$' }, 'abc', 'ABC'],
    ['minLength', { type: 'string', minLength: 2 }, '🐎🐎', '🐎'],
    ['maxLength', { type: 'string', maxLength: 2 }, '🐎🐎', 'abc'],
    ['minItems', { type: 'array', minItems: 1 }, [1], []],
    ['maxItems', { type: 'array', maxItems: 1 }, [1], [1, 2]],
    ['additionalProperties', { type: 'object', additionalProperties: false }, {}, { x: 1 }],
    ['description', { type: 'string', description: 'What it is.' }, 'x', 1],
  ])('2. Supported JSON Schema features shown: … %s', (_, schema, fits, doesNot) => {
    expect(problemOfSchema(member(schema))).toBeNull();
    expect(pointers(member(schema), { a: fits })).toEqual([]);
    expect(pointers(member(schema), { a: doesNot })).toHaveLength(1);
  });

  it('2. … each pattern is its own', () => {
    const schema = { type: 'object', properties: { a: { pattern: '^a+$' }, b: { pattern: '^b+$' } } };
    expect(pointers(schema, { a: 'aa', b: 'bb' })).toEqual([]);
    expect(pointers(schema, { a: 'bb', b: 'aa' }).toSorted()).toEqual(['/a', '/b']);
  });

  it.each<[string, RequestSchema]>([
    ['a type that is none', member({ type: 'strng' })],
    ['a reference to itself', { $ref: '#' }],
    ['a keyword that is none', member({ typ: 'string' })],
    ['a pattern that could take for ever', member({ pattern: '(a)\\1' })],
    ['what is no object', { type: 'array' }],
    ['references to elsewhere', member({ $ref: 'https://example.com/schema.json' })],
  ])('refuses %s, at the start event', (_, schema) => {
    expect(problemOfSchema(schema)).toMatch(/^The Request Schema /);
  });
});
