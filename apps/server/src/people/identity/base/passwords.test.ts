import * as argon2 from '@node-rs/argon2';
import { afterEach, expect, test, vi } from 'vitest';
import { hashPassword, isPassword } from './passwords.ts';

vi.mock('@node-rs/argon2', { spy: true });
afterEach(() => vi.mocked(argon2.verify).mockClear());

test('only the right password is right', async () => {
  const kept = await hashPassword('correct horse');
  expect(await isPassword(kept, 'correct horse')).toBe(true);
  expect(await isPassword(kept, 'correct horse ')).toBe(false);
  expect(await isPassword(kept, '')).toBe(false);
  expect(kept).not.toContain('horse');
});

test('a name that nobody has costs the same work as one that somebody has', async () => {
  const kept = await hashPassword('correct horse');
  expect(await isPassword(kept, 'guess')).toBe(false);
  expect(await isPassword(null, 'guess')).toBe(false);
  const compared = vi.mocked(argon2.verify).mock.calls.map(([hash]) => String(hash));
  expect(compared.map((hash) => hash.split('$').slice(0, 4).join('$'))).toEqual([
    '$argon2id$v=19$m=19456,t=2,p=1',
    '$argon2id$v=19$m=19456,t=2,p=1',
  ]);
});

test('a password is the same from every keyboard', async () => {
  const composed = 'caf\u00e9 \u00c5';
  expect(await isPassword(await hashPassword(composed), composed.normalize('NFD'))).toBe(true);
});
