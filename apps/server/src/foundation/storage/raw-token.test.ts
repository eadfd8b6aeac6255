import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { createRawToken, digestOf, isWellFormed, sameDigest } from './raw-token.ts';

test('a new token has its prefix, 32 base62 characters and a checksum that holds', () => {
  for (const prefix of ['ket_pat_', 'ket_ak_', 'ket_sk_'] as const) {
    const token = createRawToken(prefix);
    expect(token).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`));
    expect(isWellFormed(prefix, token)).toBe(true);
  }
});

test('the checksum is CRC32 over what precedes it, in base62', () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const token = createRawToken('ket_pat_');
  const value = token
    .slice(-6)
    .split('')
    .reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0);
  expect(value).toBe(crc32(token.slice(0, -6)));
});

const token = createRawToken('ket_pat_');
test.each([
  ['empty', ''],
  ['of another prefix', createRawToken('ket_ak_')],
  ['one character short', token.slice(0, -1)],
  ['one character long', `${token}0`],
  ['with one character changed', token.slice(0, 12) + (token[12] === 'a' ? 'b' : 'a') + token.slice(13)],
  ['with another checksum', token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a')],
  ['with a character outside of base62', `ket_pat_-${token.slice(9)}`],
  ['followed by a line break', `${token.slice(0, -1)}\n`],
])('a token %s is not well formed', (_name, value) => {
  expect(isWellFormed('ket_pat_', value)).toBe(false);
});

test('every character of the alphabet is equally likely', () => {
  const counts = new Map<string, number>();
  const tokens = 4_000;
  for (let round = 0; round < tokens; round += 1) {
    for (const character of createRawToken('ket_sk_').slice(7, -6)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
  }
  const expected = (tokens * 32) / 62;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  expect(counts.size).toBe(62);
  // 61 degrees of freedom: beyond 150 once in 10^9 runs. Sampling by modulo alone would give about 840.
  expect(chiSquare).toBeLessThan(150);
});

test('digests are equal for equal tokens only', () => {
  expect(sameDigest(digestOf(token), digestOf(token))).toBe(true);
  expect(sameDigest(digestOf(token), digestOf(createRawToken('ket_pat_')))).toBe(false);
  expect(sameDigest(digestOf(token), 'short')).toBe(false);
});
