import { expect, onTestFinished, test } from 'vitest';
import { sqlite } from '../../testing/databases.ts';
import { startTestKethub } from '../../testing/kethub.ts';

test.each([sqlite])('every answer carries a request id, on $name', async (kind) => {
  const kethub = await startTestKethub(kind);
  onTestFinished(() => kethub.close());
  const { api, auth, gateway } = kethub.kethub.platform.addresses;
  const addresses = [
    `${api}/me`,
    `${api}/nothing`,
    `${api}/openapi.json`,
    `${api}/problems/not-found`,
    `${auth}/.well-known/openid-configuration`,
    `${auth}/nothing`,
    `${gateway}/token`,
    `${gateway}/a/b/1.0.0/`,
    new URL('/', api).href,
  ];
  const idOf = async (address: string, id?: string): Promise<string | null> => {
    const response = await fetch(address, { headers: { ...(id !== undefined && { 'x-request-id': id }) } });
    await response.body?.cancel();
    return response.headers.get('x-request-id');
  };
  for (const address of addresses) {
    expect([address, await idOf(address)]).toEqual([address, expect.stringMatching(/^[\w-]{8,}$/)]);
    expect([address, await idOf(address, 'run-2026.11:7')]).toEqual([address, 'run-2026.11:7']);
    // Ids that are too short, end a header elsewhere or look like a secret are neither repeated nor logged.
    for (const refused of ['short', 'with space in it', `ket_pat_${'x'.repeat(38)}`, 'x'.repeat(129)])
      expect(await idOf(address, refused)).not.toBe(refused);
  }
});
