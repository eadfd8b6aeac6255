import { problems } from '@kethub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databases } from '../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../testing/kethub.ts';

const [sqlite] = databases;
let kethub: TestKethub;
beforeAll(async () => {
  if (!sqlite) throw new Error('SQLite is always there');
  kethub = await startTestKethub(sqlite);
});
afterAll(() => kethub.close());

/** Addresses of pages and of what browsers get instead of a page, at both ports. */
function addresses(): string[] {
  const { api, auth, gateway, problems: pages } = kethub.platform.addresses;
  const { origin } = new URL(api);
  const query = 'client_id=nobody&response_type=code&redirect_uri=https://evil.example.org';
  return [
    `${origin}/`,
    pages,
    ...Object.keys(problems).map((code) => `${pages}/${code}`),
    `${pages}/no-such-problem`,
    `${origin}/nothing-here`,
    `${api}/me`,
    `${api}/openapi.json`,
    `${auth}/register`,
    `${auth}/forgot-password`,
    `${auth}/sign-in/nothing`,
    `${auth}/authorize?${query}`,
    `${auth}/auth?${query}`,
    `${auth}/session/end`,
    `${auth}/nothing-here`,
    `${auth}/.well-known/openid-configuration`,
    `${gateway}/`,
    `${gateway}/openapi.json`,
    `${gateway}/o/s/1.0.0/`,
    `${gateway}/<script>`,
  ];
}

test('every page has the headers of all pages, and no answer of either port is guessed at', async () => {
  let pages = 0;
  for (const address of addresses()) {
    const { headers } = await fetch(address, { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect([address, headers.get('x-content-type-options')]).toEqual([address, 'nosniff']);
    if (!headers.get('content-type')?.startsWith('text/html')) continue;
    pages += 1;
    const policy = headers.get('content-security-policy') ?? '';
    expect([address, policy]).toEqual([address, expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/)]);
    expect([address, policy]).not.toEqual([address, expect.stringContaining('unsafe')]);
    expect([address, headers.get('x-frame-options'), headers.get('referrer-policy')]).toEqual([
      address,
      'DENY',
      'no-referrer',
    ]);
  }
  expect(pages).toBeGreaterThan(Object.keys(problems).length + 3);
});
