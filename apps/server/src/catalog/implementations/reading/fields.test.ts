import { expect, test } from 'vitest';
import { readFields } from './fields.ts';

async function* inPieces(text: string, size: number): AsyncIterable<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test.each([1, 2, 3, 100])('fields are read from pieces of %i bytes, each up to its limit', async (size) => {
  const text = `a\0\0${'b'.repeat(20)}\0zwölf\0${'é'.repeat(9)}\0without an end`;
  expect(await readFields(inPieces(text, size), 7)).toEqual(['a', '', 'bbbbbbb', 'zwölf', 'ééé']);
});
