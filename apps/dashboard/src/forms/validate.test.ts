import { expect, test } from 'vitest';
import { parseExact } from '../data/exact-json.ts';
import { judge } from './validate.ts';

const parameter = (schema: unknown) => [{ name: 'data', kind: 'data' as const, required: true, schema }];

test('complaints are named by pointer', () => {
  const schema = { type: 'object', properties: { qubits: { type: 'integer', maximum: 24 } }, required: ['qubits'] };
  expect([...judge(parameter(schema), { data: { qubits: 99 } }).keys()]).toEqual(['/data/qubits']);
  expect([...judge(parameter(schema), { data: {} }).keys()]).toEqual(['/data']);
  expect(judge(parameter(schema), { data: { qubits: 4 } }).size).toBe(0);
  expect(judge(parameter({ type: 'integer' }), { data: parseExact('12345678901234567890') }).size).toBe(0);
});

test('a pattern that takes for ever is left to the platform, and a schema without end as well', () => {
  const hostile = { type: 'string', pattern: '^(a+)+$' };
  expect(judge(parameter(hostile), { data: `${'a'.repeat(50)}!` }).size).toBe(0);
  expect(judge(parameter({ $ref: '#' }), { data: 1 }).size).toBe(0);
});

test('alternatives within alternatives are left to the platform, because they multiply', () => {
  const levels = Array.from({ length: 40 }, (_, at) => [
    `l${at}`,
    { anyOf: [{ $ref: `#/$defs/l${at + 1}` }, { $ref: `#/$defs/l${at + 1}` }] },
  ]);
  const hostile = { $ref: '#/$defs/l0', $defs: Object.fromEntries([...levels, ['l40', { type: 'integer' }]]) };
  expect(judge(parameter(hostile), { data: 'text' }).size).toBe(0);
});
