import { describe, expect, test } from 'vitest';
import { createValidator } from './schema.ts';
import { acceptedSchema } from './accepted-schema.ts';

type Parameters = Parameters_[0];
type Parameters_ = globalThis.Parameters<typeof acceptedSchema>;

const parameter = (schema: object, accepts: 'STRICT' | 'LAX' | 'NONE' = 'STRICT'): Parameters => [
  { name: 'params', kind: 'data', required: false, schema, accepts },
];

function pointers(parameters: Parameters, params: unknown): string[] {
  const schema = acceptedSchema(parameters);
  if (!schema) return [];
  const errors = createValidator(schema).check({ params }, 100);
  return errors.map(({ pointer }) => pointer);
}

describe('the schema of accepted inputs', () => {
  const shots = { type: 'integer', minimum: 1, maximum: 10 };

  test.each<[string, Parameters, unknown, string[]]>([
    ['a bound', parameter(shots), 11, ['/params']],
    ['a text for a number', parameter(shots), '5', ['/params']],
    ['a text that Pydantic makes a number of', parameter(shots, 'LAX'), '5', []],
    ['an object that Pydantic makes no number of', parameter(shots, 'LAX'), {}, ['/params']],
    ['anything for validators of the program', parameter(shots, 'NONE'), {}, []],
    ['null for a default of null', parameter({ ...shots, default: null }), null, []],
    ['null for a number', parameter(shots), null, ['/params']],
    ['the value of an enum', parameter({ enum: ['red'], 'x-enum-varnames': ['RED'], title: 'Color' }), 'red', []],
    ['the name of a member of an enum', parameter({ enum: ['red'], 'x-enum-varnames': ['RED'] }), 'RED', []],
    ['neither', parameter({ enum: ['red'], 'x-enum-varnames': ['RED'] }), 'green', ['/params']],
    ['a date, which the program reads', parameter({ type: 'string', format: 'date' }), 'tomorrow', []],
    ['an element twice', parameter({ type: 'array', uniqueItems: true }), [1, 1], []],
    ['a pattern that may not end', parameter({ type: 'string', pattern: '^(?!x)' }), 'x', []],
    ['a union of two', parameter({ anyOf: [shots, { type: 'null' }] }), 'x', ['/params']],
    [
      'a member of a class within a list',
      parameter({
        type: 'array',
        items: { $ref: '#/$defs/Edge' },
        $defs: { Edge: { type: 'object', properties: { weight: { type: 'number' } }, required: ['source'] } },
      }),
      [{ weight: 'heavy' }],
      ['/params/0/source', '/params/0/weight'],
    ],
  ])('judges %s', (_what, parameters, value, expected) => {
    expect(pointers(parameters, value)).toEqual(expected);
  });

  test('is none where nothing decides', () => {
    expect(acceptedSchema([{ name: 'data', kind: 'data', required: true }])).toBeNull();
  });
});
