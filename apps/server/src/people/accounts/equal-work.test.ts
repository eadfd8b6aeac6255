import { describe, expect, onTestFinished, test } from 'vitest';
import { createRawToken } from '../../foundation/storage/index.ts';
import { startTestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';
import { watchWork } from '../../testing/work.ts';
import { LastUses } from './last-uses.ts';
import { createTokenVerifier } from './verify-access-token.ts';

describe.each(databases())('verifying a personal access token on $name', ({ open }) => {
  test('costs the same for one that is unknown and one that has ended, and nothing for one that cannot be', async () => {
    let now = Date.now();
    const server = await startTestAccounts(open, { now: () => now });
    onTestFinished(() => server.close());
    await server.addUser('ada');
    const { access_token: session } = await server.signIn('ada');
    const expiresAt = new Date(now + 86_400_000).toISOString().slice(0, 10);
    const created = await server.call('POST', '/me/access-tokens', session, { name: 'x', expiresAt });
    const { value } = (await created.json()) as { value: string };
    const { platform, taken } = watchWork(server.platform);
    // Not watched: it writes later, off the request.
    const lastUses = new LastUses(server.platform);
    onTestFinished(() => lastUses.close());
    const verify = createTokenVerifier(platform, lastUses);
    const workOf = async (token: string) => ({ right: (await verify(token)) !== null, statements: taken() });

    // Afterwards everything exists that is created once, such as a compiled query.
    await workOf(value);
    const right = await workOf(value);
    expect(right.right).toBe(true);
    expect(right.statements.length).toBeGreaterThan(0);
    now += 3 * 86_400_000;
    const ended = await workOf(value);
    expect(ended).toEqual({ right: false, statements: right.statements });
    expect(await workOf(createRawToken('ket_pat_'))).toEqual(ended);
    // Its checksum is wrong, which anyone can compute: the time that it takes says nothing.
    expect(await workOf(`${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`)).toEqual({
      right: false,
      statements: [],
    });
  });
});
