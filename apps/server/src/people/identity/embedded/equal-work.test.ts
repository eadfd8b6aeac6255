import { verify } from '@node-rs/argon2';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SignInRecords } from '../../audit/index.ts';
import { PASSWORD } from '../../../testing/accounts.ts';
import { databases } from '../../../testing/databases.ts';
import { createTestPlatform } from '../../../testing/platform.ts';
import { watchWork } from '../../../testing/work.ts';
import { Attempts } from '../base/attempts.ts';
import { createUser } from './create-user.ts';
import { accountOf, createSignIn } from './sign-in.ts';

// The real one, counted.
vi.mock('@node-rs/argon2', async (original) => {
  const real = await original<typeof import('@node-rs/argon2')>();
  return { ...real, verify: vi.fn(real.verify) };
});

describe.each(databases())('signing in on $name', ({ open }) => {
  test('costs the same password hashes and statements for a wrong password, nobody, and a name nobody can have', async () => {
    const platform = await createTestPlatform(open);
    onTestFinished(() => platform.close());
    const person = { firstname: 'Ada', lastname: 'Lovelace', password: PASSWORD, status: 'APPROVED' } as const;
    await createUser(platform, { ...person, username: 'ada', email: 'ada@example.org' });
    const { platform: watched, taken } = watchWork(platform);
    const signIn = createSignIn(watched, new Attempts(watched), new SignInRecords(watched, accountOf(watched)));
    const workOf = async (name: string, address: string) => {
      vi.mocked(verify).mockClear();
      const { kind } = await signIn(name, 'not the password', address);
      const hashes = vi.mocked(verify).mock.calls.map(([kept]) => String(kept).split('$').slice(0, 4).join('$'));
      return { kind, hashes, statements: taken() };
    };
    // Afterwards everything exists that is created once, such as the key of the counters.
    await workOf('first', '192.0.2.1');
    const wrong = await workOf('ada', '192.0.2.2');
    expect(wrong.kind).toBe('REFUSED');
    expect(wrong.hashes.length).toBeGreaterThan(0);
    expect(wrong.statements.length).toBeGreaterThan(1);
    expect(await workOf('nobody', '192.0.2.3')).toEqual(wrong);
    expect(await workOf('ada@example.org', '192.0.2.4')).toEqual(wrong);
    expect(await workOf('nobody@example.org', '192.0.2.5')).toEqual(wrong);
    expect(await workOf('n'.repeat(1_000), '192.0.2.6')).toEqual(wrong);
  });
});
