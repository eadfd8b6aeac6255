import { problems } from '@kethub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlite } from '../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../testing/kethub.ts';

let kethub: TestKethub;
beforeAll(async () => {
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

const browse = (address: string): Promise<Response> =>
  fetch(address, { headers: { accept: 'text/html,application/xhtml+xml' }, redirect: 'manual' });

test('the first page leads to signing in and registering', async () => {
  const { api, auth } = kethub.platform.addresses;
  const { origin } = new URL(api);
  const front = await (await browse(`${origin}/`)).text();
  for (const href of ['/sign-in', `${auth}/register`]) expect(front).toContain(`<a href="${href}">`);
  expect((await browse(`${auth}/register`)).status).toBe(200);
  const begun = await browse(`${origin}/sign-in`);
  expect(begun.status).toBe(303);
  const asked = await browse(begun.headers.get('location') ?? '');
  expect([asked.status, asked.headers.get('location')]).toEqual([303, expect.stringContaining(`${auth}/sign-in/`)]);
  expect(await (await browse(`${origin}/callback?code=x`)).text()).toContain('You are signed in');
  expect(await (await browse(`${origin}/callback?error=access_denied`)).text()).toContain('Not signed in');
});

test('pages about problems, and pages at which there is nothing, have a landmark and a way back', async () => {
  const { api, auth, problems: pages } = kethub.platform.addresses;
  const { origin } = new URL(api);
  for (const address of [
    pages,
    `${pages}/not-found`,
    `${pages}/nothing`,
    `${origin}/nothing`,
    `${origin}/%ff`,
    `${auth}/nothing`,
  ]) {
    const response = await browse(address);
    const html = await response.text();
    expect([address, response.headers.get('content-type')]).toEqual([address, 'text/html; charset=utf-8']);
    expect([address, html]).toEqual([address, expect.stringMatching(/<main>[^]*<a href="(\/|[^"]*\/problems)"/)]);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  }
  const program = await fetch(`${origin}/nothing`);
  expect([program.status, program.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  const operation = await browse(`${api}/me`);
  expect(operation.headers.get('content-type')).toBe('application/problem+json');
});
