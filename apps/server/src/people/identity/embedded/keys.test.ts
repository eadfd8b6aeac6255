import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SignInRecords } from '../../audit/index.ts';
import { renewSigningKeys } from '../../../api/signing-keys.ts';
import { createBearers } from '../../../running/gateway/bearer.ts';
import { gatewayKeys } from '../../../running/gateway/signing-key.ts';
import { databases } from '../../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../../testing/platform.ts';
import { createAccessTokenVerifier } from './access-token.ts';
import { Attempts } from '../base/attempts.ts';
import { createUser } from './create-user.ts';
import { loadKeys } from './keys.ts';
import { createOidcProvider } from './oidc-provider.ts';
import { accountOf, createSignIn } from './sign-in.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const PASSWORD = 'correct horse battery staple';

describe.each(databases())('signing keys on $name', ({ open }) => {
  let first: TestPlatform;
  let second: TestPlatform;
  let later = 0;
  beforeAll(async () => {
    const settings = { KETHUB_SIGNING_KEY_DAYS: '30' };
    first = await createTestPlatform(open, { now: () => Date.now() + later, settings });
    second = { ...first, database: await first.testDatabase.again() };
    const person = { username: 'ada', email: 'ada@example.org', firstname: 'Ada', lastname: 'Lovelace' };
    await createUser(first, { ...person, password: PASSWORD, status: 'APPROVED' });
  });
  afterAll(async () => {
    await second.database.close();
    await first.close();
  });

  /** A process of the identity provider, with nothing else in it. */
  async function startProvider(platform: TestPlatform) {
    const keys = await loadKeys(platform);
    const provider = createOidcProvider(
      platform,
      keys,
      createSignIn(platform, new Attempts(platform), new SignInRecords(platform, accountOf(platform))),
    );
    // The library dates its tokens by the clock of the machine.
    const verify = createAccessTokenVerifier({ ...platform, now: Date.now }, keys.signing);
    const server = http.createServer((request, response) => void provider().callback()(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
      look: () => keys.signing.look(),
      verify,
      async signIn(): Promise<string> {
        const form = { grant_type: 'password', client_id: 'kethub', username: 'ada', password: PASSWORD };
        const answer = await fetch(`${url}/token`, { method: 'POST', body: new URLSearchParams(form) });
        return ((await answer.json()) as { access_token: string }).access_token;
      },
      async published(): Promise<(string | undefined)[]> {
        const { keys: all } = (await (await fetch(`${url}/jwks`)).json()) as { keys: { kid?: string; d?: string }[] };
        expect(all.filter(({ d }) => d !== undefined)).toEqual([]);
        return all.map(({ kid }) => kid);
      },
      async close(): Promise<void> {
        await keys.signing.close();
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  test('of the identity provider: published before it signs, the old one kept while what it signed can be shown', async () => {
    const one = await startProvider(first);
    const other = await startProvider(second);
    const both = [one, other];
    const kidOf = (token: string): string | undefined => decodeProtectedHeader(token).kid;
    const old = await one.signIn();
    later = 30 * DAY - HOUR;
    await one.look();
    expect(await one.published()).toEqual([kidOf(old)]);

    later = 30 * DAY + 1_000;
    // When two find it due at the same time, one creates it.
    await Promise.all(both.map((process) => process.look()));
    const published = await one.published();
    expect(published).toHaveLength(2);
    expect(await other.published()).toEqual(published);
    const before = await other.signIn();
    expect(kidOf(before)).toBe(kidOf(old));

    later = 30 * DAY + HOUR + 2_000;
    // One that has not looked yet accepts what another signs with the new key.
    await one.look();
    const after = await one.signIn();
    expect(kidOf(after)).not.toBe(kidOf(old));
    expect(published).toContain(kidOf(after));
    for (const process of both) {
      expect(await process.verify(after)).toEqual(expect.any(String));
      expect(await process.verify(before)).toEqual(await process.verify(after));
    }

    later = 30 * DAY + HOUR + 14 * DAY;
    for (const process of both) await process.look();
    expect(new Set(await other.published())).toEqual(new Set([kidOf(old), kidOf(after)]));
    later += 2 * HOUR;
    for (const process of both) await process.look();
    expect(await one.published()).toEqual([kidOf(after)]);
    expect(await other.published()).toEqual([kidOf(after)]);
    for (const process of both) await process.close();
    later = 0;
  });

  test('of the gateway: renewed by hand as well, and what the old one has signed is good until it expires', async () => {
    const keys = [await gatewayKeys(first), await gatewayKeys(second)] as const;
    const [one, other] = [keys[0], keys[1]].map((set) => createBearers(set, 'https://gateway.test', first.newId));
    if (!one || !other) throw new Error('Two were made');
    const old = one.issue('a', 'k', first.now());
    const administrator = { id: 'boss', credential: 'LOGIN_SESSION' } as const;
    const renewed = await renewSigningKeys(first, administrator);
    expect(renewed.body).toMatchObject([{ use: 'BEARER_TOKENS' }, { use: 'LOGIN_SESSIONS' }]);
    // Once more changes nothing: one is waiting.
    expect(await renewSigningKeys(second, administrator)).toEqual(renewed);
    const entries = await first.database.read
      .selectFrom('audit_entries')
      .select(['owner_id', 'action'])
      .where('action', '=', 'signing-keys:renew')
      .execute();
    expect(entries).toEqual(Array.from({ length: 2 }, () => ({ owner_id: 'boss', action: 'signing-keys:renew' })));
    for (const set of keys) await set.look();
    expect(keys.map((set) => [set.keys.signing.id, set.keys.all.length])).toEqual([['gateway-1', 2], ['gateway-1', 2]]); // prettier-ignore

    later = HOUR - 60_000;
    const last = other.issue('a', 'k', first.now());
    later = HOUR + 1_000;
    await keys[0].look();
    const fresh = one.issue('a', 'k', first.now());
    expect(fresh.split('.')[0]).not.toBe(old.split('.')[0]);
    for (const bearers of [one, other]) {
      expect(bearers.check(fresh, first.now())).toMatchObject({ applicationId: 'a' });
      expect(bearers.check(last, first.now())).toMatchObject({ applicationId: 'a' });
      expect(bearers.check(old, first.now())).toBeNull();
    }
    later = 4 * HOUR;
    for (const set of keys) await set.look();
    expect(keys.map((set) => set.keys.all.map(({ id }) => id))).toEqual([['gateway-2'], ['gateway-2']]);
    expect(other.check(last, first.now() - 3 * HOUR)).toMatchObject({ applicationId: 'a' });
    const strange = createBearers(keys[0], 'https://gateway.test', first.newId);
    expect(strange.check(last, first.now() - 3 * HOUR)).toBeNull();
    for (const set of keys) await set.close();
    later = 0;
  });
});
