import { Buffer } from 'node:buffer';
import { assert, property, string, stringMatching } from 'fast-check';
import { expect, test } from 'vitest';
import { fromBase64, toBase64 } from './base64.ts';

const text = string({ unit: 'binary', maxLength: 20_000 });
const base64 = stringMatching(/^[A-Za-z0-9+/]*={0,2}$/);

test('it writes what Node writes', () =>
  assert(property(text, (one) => toBase64(one) === Buffer.from(one, 'utf8').toString('base64'))));

test('it reads what Node reads', () => {
  expect(fromBase64('77u/YQ')).toBe('\uFEFFa');
  expect(toBase64('\uD800a')).toBe(Buffer.from('\uD800a').toString('base64'));
  assert(property(base64, (one) => fromBase64(one) === Buffer.from(one, 'base64').toString('utf8')));
});
