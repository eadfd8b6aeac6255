import { expect, test } from 'vitest';
import { describedInput } from './described-input.ts';

const documentOf = (schema: object, more: object = {}, components: object = {}) => ({
  openapi: '3.1.0',
  paths: { '/': { post: { requestBody: { content: { 'application/json': { schema, ...more } } } } } },
  components: { schemas: components },
});

test('a body that the document refers to becomes fields, with secrets and without tags', () => {
  const Request = {
    type: 'object',
    properties: {
      graph: { $ref: '#/components/schemas/Request/$defs/Graph' },
      word: { type: 'string', format: 'password' },
      $tags: { type: 'array', items: { type: 'string' } },
      $secrets: { type: 'object', properties: { token: { type: 'string', writeOnly: true } } },
    },
    required: ['word'],
    $defs: { Graph: { type: 'object', properties: { nodes: { type: 'integer' } } } },
    examples: [{ word: 'x', value: {} }],
  };
  const { fields, example } = describedInput(documentOf({ $ref: '#/components/schemas/Request' }, {}, { Request }));
  expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
    ['word', 'text'],
    ['graph', 'group'],
    ['token', 'secret'],
  ]);
  expect(example).toEqual({ word: 'x', value: {} });
});

test('the example of the media type comes first, in each of its forms', () => {
  const schema = { type: 'object', properties: { x: {} }, example: { x: 3 } };
  expect(describedInput(documentOf(schema)).example).toEqual({ x: 3 });
  expect(describedInput(documentOf(schema, { example: { x: 1 } })).example).toEqual({ x: 1 });
  expect(describedInput(documentOf(schema, { examples: { one: { value: { x: 2 } } } })).example).toEqual({ x: 2 });
});

test('a document of another shape describes nothing', () => {
  for (const document of [
    null,
    'text',
    [],
    {},
    { paths: { '/': null } },
    documentOf([]),
    documentOf({ type: 'array' }),
  ])
    expect(describedInput(document)).toEqual({ fields: [], example: {} });
  expect(describedInput(documentOf({ $ref: '#/nowhere' }))).toEqual({ fields: [], example: {} });
});
