import { afterEach, expect, test } from 'vitest';
import { PASSWORD } from '../../../testing/accounts.ts';
import { sqlite } from '../../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../../testing/kethub.ts';

let kethub: TestKethub;
afterEach(() => kethub.close());

async function start(settings: Record<string, string>): Promise<void> {
  kethub = await startTestKethub(sqlite, settings);
  const person = { firstname: 'Ada', lastname: 'Lovelace', password: PASSWORD, status: 'APPROVED' } as const;
  await kethub.kethub.identity.createUser({ ...person, username: 'eve', email: 'eve@example.org' });
}

/** Signs in through a proxy on this machine that says for whom it asks. */
async function signIn(username: string, password: string, forwardedFor: string): Promise<number> {
  const { auth } = kethub.platform.addresses;
  const body = new URLSearchParams({ grant_type: 'password', client_id: 'kethub', scope: 'profile', username, password });
  const answer = await fetch(`${auth}/token`, { method: 'POST', headers: { 'x-forwarded-for': forwardedFor }, body });
  return answer.status;
} // prettier-ignore

/** Wrong passwords of many names until one is refused for the address, at most `most`. */
async function guess(most: number): Promise<number> {
  for (let round = 0; round < most; round += 1) {
    if ((await signIn(`nobody-${round}`, 'wrong', '203.0.113.66')) === 429) return round;
  }
  return most;
}

test('where the proxy is not configured, one who guesses shuts nobody else out', async () => {
  await start({});
  expect(await guess(104)).toBe(104);
  expect(await signIn('eve', PASSWORD, '198.51.100.7')).toBe(200);
});

test('where the proxy is configured, one who guesses is stopped and nobody else', async () => {
  await start({ KETHUB_TRUSTED_PROXIES: '127.0.0.1,::1' });
  expect(await guess(104)).toBe(100);
  expect(await signIn('eve', PASSWORD, '198.51.100.7')).toBe(200);
  expect(await signIn('eve', PASSWORD, '203.0.113.66')).toBe(429);
});
