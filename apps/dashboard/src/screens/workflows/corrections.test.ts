import { expect, test } from 'vitest';
import { parseExact } from '../../data/exact-json.ts';
import { changedOnly } from './corrections.ts';

const object = (text: string) => parseExact(text) as Readonly<Record<string, unknown>>;

test('only what was changed or added is sent, compared by every digit', () => {
  const before = object('{"n": 12345678901234567890, "kept": {"a": [1]}, "gone": true}');
  const after = object('{"n": 12345678901234567891, "kept": {"a": [1]}, "new": null}');
  expect(JSON.stringify(changedOnly(before, after))).toBe('{"n":12345678901234567891,"new":null}');
  expect(changedOnly(before, before)).toEqual({});
});
