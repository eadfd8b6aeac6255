import { expect, test } from 'vitest';
import { fieldsOf, fieldsOfObject } from './schema.ts';

test('parameters become fields, required ones first', () => {
  const fields = fieldsOf([
    { name: 'note', kind: 'other', required: false, schema: { type: 'string' } },
    { name: 'pool', kind: 'dataPool', required: false },
    { name: 'token', kind: 'secret', required: true },
    {
      name: 'data',
      kind: 'data',
      required: true,
      schema: {
        $ref: '#/$defs/Data',
        $defs: {
          Data: {
            type: 'object',
            properties: {
              qubits: { type: 'integer', default: 5, description: 'How many.' },
              labels: { type: 'array', items: { type: 'string' } },
              seed: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
              mode: { enum: ['fast', 'exact', 3] },
              state: { oneOf: [{ const: 'a' }, { const: 'b' }] },
              both: { allOf: [{ type: 'object', properties: { x: { type: 'number' } } }, { required: ['x'] }] },
              any: {},
            },
            required: ['qubits'],
          },
        },
      },
    },
  ]);
  expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
    ['token', 'secret'],
    ['data', 'group'],
    ['note', 'text'],
    ['pool', 'data-pool'],
  ]);
  expect(fields[1]).toMatchObject({
    fields: [
      { name: 'qubits', kind: 'number', isInteger: true, required: true, default: 5, description: 'How many.' },
      { name: 'labels', kind: 'list', item: 'text' },
      { name: 'seed', kind: 'number', type: 'integer or null' },
      { name: 'mode', kind: 'choice', choices: [{ label: 'fast' }, { label: 'exact' }, { label: '3', value: 3 }] },
      { name: 'state', kind: 'choice', choices: [{ value: 'a' }, { value: 'b' }] },
      { name: 'both', kind: 'group', fields: [{ name: 'x', required: true }] },
      { name: 'any', kind: 'json' },
    ],
  });
});

test('a schema that refers to itself ends as JSON', () => {
  const node = { type: 'object', properties: { next: { $ref: '#' }, value: { type: 'integer' } } };
  let at = fieldsOfObject(node)?.[0];
  let depth = 0;
  for (; at?.kind === 'group'; depth++) at = at.fields[0];
  expect(depth).toBeLessThan(10);
  expect(at).toMatchObject({ name: 'next', kind: 'json' });
  expect(fieldsOfObject({ $ref: '#' })).toBeNull();
});

test('an object with very many members is edited as JSON', () => {
  const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, { type: 'string' }]));
  const [field] = fieldsOf([{ name: 'data', kind: 'data', required: true, schema: { type: 'object', properties } }]);
  expect(field).toMatchObject({ kind: 'json' });
});

test('definitions that use themselves or each other do not multiply', () => {
  const named = (count: number, schema: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, schema]));
  const count = (fields: ReturnType<typeof fieldsOf>): number =>
    fields.reduce((sum, field) => sum + 1 + (field.kind === 'group' ? count([...field.fields]) : 0), 0);
  const tree = { type: 'object', properties: named(50, { $ref: '#' }) };
  expect(count(fieldsOfObject(tree) ?? [])).toBe(50);
  const $defs = Object.fromEntries(
    Array.from({ length: 9 }, (_, level) => [
      `l${level}`,
      { type: 'object', properties: named(20, level === 8 ? {} : { $ref: `#/$defs/l${level + 1}` }) },
    ]),
  );
  expect(count(fieldsOfObject({ $ref: '#/$defs/l0', $defs }) ?? [])).toBeLessThan(700);
  const all = { allOf: [{ $ref: '#' }, { $ref: '#' }], properties: named(2, { $ref: '#' }), type: 'object' };
  expect(fieldsOfObject(all)).toHaveLength(2);
});
