import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlite } from '../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../testing/kethub.ts';

const PAGE = `<meta name="n" content="__NONCE__"><style nonce="__NONCE__"></style><script>early()</script><div id="root">`;
let folder: string;
let kethub: TestKethub;
let origin: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-dashboard-'));
  mkdirSync(path.join(folder, 'assets'));
  writeFileSync(path.join(folder, 'index.html'), PAGE);
  writeFileSync(path.join(folder, 'assets/main-1.js'), 'whole()');
  writeFileSync(path.join(folder, 'assets/main-1.js.br'), 'compressed');
  writeFileSync(path.join(folder, 'assets/notes.txt'), 'no part of it');
  kethub = await startTestKethub(sqlite, { KETHUB_DASHBOARD: folder });
  origin = new URL(kethub.platform.addresses.api).origin;
  const isReady = async () => (await (await fetch(`${origin}/`)).text()).includes('id="root"');
  while (!(await isReady())) await pause(20);
});
afterAll(async () => {
  await kethub.close();
  rmSync(folder, { recursive: true });
});

const get = (address: string, headers: Record<string, string> = {}) => fetch(origin + address, { headers });

test.each(['/', '/me', '/me/services/1/run?version=1', '/org/1/executions', '/callback?code=1&state=/me'])(
  '%s is the page, with a policy that no script but its own fits',
  async (address) => {
    const first = await get(address);
    expect(first.status).toBe(200);
    const policy = first.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[^']+'; style-src 'self' 'nonce-[^']+';/);
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("frame-ancestors 'none'");
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    expect(await first.text()).toContain(`<style nonce="${nonce}">`);
    expect((await get(address)).headers.get('content-security-policy')).not.toBe(policy);
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.headers.get('cross-origin-opener-policy')).toBe('same-origin');
  },
);

test('assets are kept for ever, compressed for browsers that understand it', async () => {
  const plain = await get('/assets/main-1.js', { 'accept-encoding': 'gzip' });
  expect(await plain.text()).toBe('whole()');
  expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(plain.headers.get('cache-control')).toContain('immutable');
  const compressed = await fetch(`${origin}/assets/main-1.js`, {
    method: 'HEAD',
    headers: { 'accept-encoding': 'br' },
  });
  expect(compressed.headers.get('content-encoding')).toBe('br');
});

test.each(['/assets/missing.js', '/assets/notes.txt', '/assets/..%2findex.html', '/assets/%2e%2e/index.html'])(
  '%s is not there',
  async (address) => expect((await get(address)).status).toBe(404),
);

test('the callback of a silent renewal has no content', async () => {
  const answer = await get('/callback?code=1', { 'sec-fetch-dest': 'empty' });
  expect([answer.status, await answer.text()]).toEqual([204, '']);
});

test('other addresses are no pages of the dashboard', async () => {
  expect((await get('/api/me')).status).toBe(401);
  expect((await get('/nothing-here')).status).toBe(404);
  expect((await get('/mean')).status).toBe(404);
});
