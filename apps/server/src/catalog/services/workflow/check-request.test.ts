import { expect, test } from 'vitest';
import { createRequestCheck, type RequestCheck } from './check-request.ts';
import type { RequestSchema } from '@kethub/service-api/input-rules';
import { weigh } from './request-weight.ts';

const list = (items: RequestSchema): RequestSchema => ({
  type: 'object',
  properties: { list: { type: 'array', uniqueItems: true, items } },
});
const objects = (count: number) => ({ list: Array.from({ length: count }, (_value, number) => ({ a: { number } })) });
const check = (schema: RequestSchema, input: object) => checkWith(createRequestCheck(schema), input);
/** Checks an input that is padded with blanks to this many bytes. */
const checkWith = (one: RequestCheck, input: object, bytes = 0) =>
  one.check(() => Promise.resolve(input), Buffer.from(JSON.stringify(input).padEnd(bytes)));

/** Definitions that each refer twice to the one before, so that the number of checks doubles with every level. */
const doubling = (levels: number): RequestSchema => ({
  $ref: `#/$defs/d${levels}`,
  $defs: Object.fromEntries([
    ['d0', { type: 'object' }],
    ...Array.from({ length: levels }, (_value, level) => [
      `d${level + 1}`,
      { allOf: [{ $ref: `#/$defs/d${level}` }, { $ref: `#/$defs/d${level}` }] },
    ]),
  ]) as RequestSchema,
});

test('what a schema asks of an input is reported beforehand, unless it refers to itself', () => {
  const plain = { type: 'object', properties: { a: { type: 'string', maxLength: 3 } }, required: ['a'] };
  expect(weigh(plain)).toBeLessThan(20);
  const twice = { $defs: { a: plain }, properties: { a: { $ref: '#/$defs/a' }, b: { $ref: '#/$defs/a' } } };
  expect(weigh(twice)).toBeLessThan(80);
  expect(weigh(doubling(40))).toBeGreaterThan(2 ** 40);
  for (const unbounded of [
    { $defs: { tree: { properties: { children: { items: { $ref: '#/$defs/tree' } } } } }, $ref: '#/$defs/tree' },
    { $ref: '#/$defs/nowhere' },
    { $ref: 'https://example.com/schema' },
    { $dynamicRef: '#x' },
  ])
    expect(weigh(unbounded)).toBe(Infinity);
  expect(weigh(list({}))).toBeGreaterThan(1_000);
  expect(weigh({ pattern: '(a{1000})' })).toBeGreaterThan(weigh({ pattern: 'a'.repeat(100) }));
});

test('pointers are the same in a thread of its own', async () => {
  expect(await check(list({}), objects(500))).toEqual([]);
  const repeated = { list: [...objects(500).list, { a: { number: 7 } }] };
  expect(await check(list({}), repeated)).toMatchObject([{ pointer: '/list' }]);
  const tree = {
    $defs: { tree: { type: 'object', properties: { children: { items: { $ref: '#/$defs/tree' } } } } },
    $ref: '#/$defs/tree',
  };
  expect(await check(tree, { children: [{ children: [{}, 7] }] })).toMatchObject([
    { pointer: '/children/0/children/1' },
  ]);
});

test.each([
  ['compares each element of a long list with each other', list({}), objects(60_000)],
  ['asks for the same again and again', doubling(45), {}],
])('a schema that %s is given up, and nobody waits for it', async (_what, schema, input) => {
  const judged = check(schema, input).then(
    () => 'judged',
    (error: unknown) => error,
  );
  const other = new Promise((resolve) => setTimeout(() => resolve('another request'), 10));
  expect(await Promise.race([judged, other])).toBe('another request');
  expect(await judged).toMatchObject({ status: 400, message: expect.stringContaining('takes too long') as string });
  // The next check finds a new thread.
  expect(await check(list({}), objects(500))).toEqual([]);
});

test('a schema that refers to itself in one place ends with what it asks for', async () => {
  const round = { properties: { a: { $ref: '#/properties/a' } } };
  await expect(check(round, { a: 1 })).rejects.toMatchObject({ status: 400 });
});

test('inputs of one workflow do not keep those of all others waiting', async () => {
  const one = createRequestCheck(list({}));
  const many = (count: number) =>
    Promise.allSettled(Array.from({ length: count }, () => checkWith(one, objects(2), 10_000)));
  const answers = await many(17);
  expect(answers.map(({ status }) => status)).toEqual([...Array(16).fill('fulfilled'), 'rejected']);
  expect(answers.at(-1)).toMatchObject({ reason: { status: 429 } });
  // After an aborted check, only one input of the schema may wait.
  await expect(checkWith(one, objects(60_000), 1_000_000)).rejects.toMatchObject({ status: 400 });
  expect((await many(3)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
});
