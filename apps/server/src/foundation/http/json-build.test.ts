import { jsonText, largeJson, toJson } from '@kethub/feel';
import { expect, test } from 'vitest';
import { longestTurn } from '../../testing/turns.ts';
import { parseJson } from '@kethub/service-api';

const long = 'x'.repeat(100_000);
const many = (count: number, one: (number: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_value, number) => one(number));
const nested = (levels: number): unknown =>
  levels === 0 ? many(20_000, (n) => n) : { a: 1, b: nested(levels - 1), c: [] };

const values: readonly (readonly [string, unknown])[] = [
  ['a short value', { a: [1, null, true, 'x'] }],
  ['a list of numbers', many(100_000, (n) => n / 4)],
  ['empty lists and objects', many(50_000, (n) => (n % 2 ? {} : []))],
  ['records', { before: 1, rows: many(20_000, (n) => ({ n, text: `Köln ${n}`, list: [n, [n]] })), after: [] }],
  ['many members', Object.fromEntries(many(30_000, (n) => [`name ${n} "\\ é`, n]) as [string, number][])],
  ['one long text', long],
  ['long texts in a list', [long, 1, long, {}, [long]]],
  ['large in large', { a: many(9_000, String), b: { c: many(9_000, String), d: { e: many(9_000, String) } }, f: [] }],
  ['a large member between small ones', [[1], 2, many(20_000, (n) => n), 3, { x: many(20_000, (n) => n) }]],
  ['what is nested deep', nested(190)],
];

test.each(values.map(([name, value]) => ({ name, value })))(
  '$name is what JSON.parse makes of it, and so is its text',
  async ({ value }) => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 1)]) {
      const parsed = await parseJson(text);
      expect(parsed).toEqual(value);
      expect(JSON.stringify(parsed)).toBe(JSON.stringify(value));
      expect(JSON.parse(jsonText({ before: 1, parsed }))).toEqual({ before: 1, parsed: value });
      // FEEL passes a large value on without copying it.
      expect(toJson(parsed as never) === parsed || largeJson(parsed) === undefined).toBe(true);
    }
  },
);

test('names that mean something elsewhere are names', async () => {
  const text = `{"__proto__":{"a":1},"big":[${'0,'.repeat(40_000)}0],"constructor":2,"toJSON":3,"__proto__x":[${'0,'.repeat(40_000)}0]}`;
  const parsed = (await parseJson(text)) as object;
  expect(Object.keys(parsed)).toEqual(Object.keys(JSON.parse(text) as object));
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  const large = `{"a":1,"__proto__":[${'0,'.repeat(40_000)}0]}`;
  expect(Object.hasOwn((await parseJson(large)) as object, '__proto__')).toBe(true);
});

test('what is no JSON is refused, wherever it goes wrong', async () => {
  const good = JSON.stringify({ rows: many(20_000, (n) => ({ n })) });
  for (const bad of [
    good.slice(0, -1),
    `${good}]`,
    good.replace('{"n":15000}', '{"n":15000,}'),
    good.replace('15000', '015000'),
  ])
    await expect(Promise.resolve().then(() => parseJson(bad))).rejects.toThrow(SyntaxError);
});

test('the depth of a large value is known', async () => {
  const parsed = (await parseJson(JSON.stringify(nested(5)))) as { b: object };
  expect([largeJson(parsed)?.levels, largeJson(parsed.b)?.levels]).toEqual([6, 5]);
  const flat = await parseJson(JSON.stringify({ rows: many(20_000, () => [[1]]) }));
  expect(largeJson(flat)?.levels).toBe(4);
});

test('a long text is parsed in many turns of the thread, none of which takes as long as all of it', async () => {
  const text = Buffer.from(`{"data":[${'{"a":[0]},'.repeat(800_000)}0]}`);
  const whole = await longestTurn(() => Promise.resolve(JSON.parse(text.toString())));
  const { turns, longest } = await longestTurn(() => Promise.resolve(parseJson(text)));
  expect(turns).toBeGreaterThan(50);
  expect(longest).toBeLessThan(whole.longest / 2);
});
