import { isDeepStrictEqual } from 'node:util';
import { parseExact } from '@kethub/feel';
import { expect, test } from 'vitest';
import { isSameValue } from './same-value.ts';

const TEXTS = ['null', '0', '-0', '[]', '{}', '[1,[2]]', '[1,[3]]', '{"a":1,"b":[{}]}', '{"b":[{}],"a":1}', '{"a":1}'];
const EXACT = [
  '12345678901234567890',
  '12345678901234567891',
  '"12345678901234567890"',
  '{"a":null}',
  '{"toString":1}',
];

test('every pair is judged as Node judges it', () => {
  const values = [...TEXTS, ...EXACT].map((text) => [parseExact(text), parseExact(text)] as const);
  for (const [a] of values)
    for (const [, b] of values) expect([a, b, isSameValue(a, b)]).toEqual([a, b, isDeepStrictEqual(a, b)]);
});
