import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from './failures.ts';
import { folderWith } from './testing/folder.ts';
import { ket } from './testing/ket.ts';
import { standInPlatform } from './testing/platform.stand-in.ts';

const key = {
  id: 'k1',
  accessKeyId: 'AK1',
  secretAccessKey: '***',
  createdAt: '2026-01-01 00:00:00',
  expiresAt: null,
};
const application = {
  id: 'a1',
  name: 'Shop',
  owner: { type: 'USER', id: 'u1' },
  createdAt: '2026-01-01 00:00:00',
  tokenEndpoint: 'http://gateway/token',
  accessKeys: [key],
};
const subscription = {
  id: 's1',
  serviceId: 'x1',
  serviceName: 'ghz',
  version: '1.0.0',
  endpoint: 'http://g/ada/ghz/1.0.0/',
};
const list = { 'GET /api/applications': { status: 200, body: [application] } };

async function run(args: readonly string[], answers: Parameters<typeof standInPlatform>[0], files = {}) {
  const { url, requests } = await standInPlatform({ ...list, ...answers });
  const folder = await folderWith(files);
  const environment = { KET_TOKEN: 'ket_pat_x', KET_URL: url };
  return { ...(await ket(['app', ...args], { folder, environment })), requests, folder };
}

test('a key is written into a file that only its owner reads, beside what stands there, and not printed', async () => {
  const { code, stdout, stderr, folder } = await run(
    ['keys', 'shop', '--env', '--json'],
    { 'GET /api/applications/a1/access-keys/k1/secret': { status: 200, body: { secretAccessKey: 'sesame' } } },
    { '.env': 'A=1\nexport SECRET_ACCESS_KEY=old\n' },
  );
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain('sesame');
  const file = path.join(folder, '.env');
  expect(await readFile(file, 'utf8')).toBe(
    'A=1\nTOKEN_ENDPOINT=http://gateway/token\nACCESS_KEY_ID=AK1\nSECRET_ACCESS_KEY=sesame\n',
  );
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('a rotation keeps the keys before for the overlap, and a revocation does not', async () => {
  const answers = {
    'POST /api/applications/a1/access-keys': { status: 201, body: { ...key, secretAccessKey: 'sesame' } },
    'GET /api/applications/a1': { status: 200, body: application },
  };
  const rotated = await run(['rotate', 'Shop', '--overlap', '12h'], answers);
  expect([rotated.code, rotated.stdout]).toEqual([0, expect.stringContaining('shown only now: sesame')]);
  expect((await run(['revoke', 'a1'], answers)).requests).toContain('POST /api/applications/a1/access-keys');
  expect((await run(['rotate', 'a1', '--overlap', '31d'], answers)).code).toBe(exitCodes.usage.code);
});

test('an application with subscriptions is deleted with --force only', async () => {
  const answers = {
    'GET /api/applications/a1/subscriptions': { status: 200, body: [subscription] },
    'DELETE /api/applications/a1': { status: 204 },
    'DELETE /api/applications/a1/subscriptions/s1': { status: 204 },
  };
  const refused = await run(['delete', 'shop'], answers);
  expect([refused.code, refused.stderr]).toEqual([exitCodes.usage.code, expect.stringContaining('ghz@1.0.0')]);
  expect(refused.requests.some((one) => one.startsWith('DELETE'))).toBe(false);
  expect((await run(['delete', 'shop', '--force'], answers)).code).toBe(0);
  expect((await run(['unsubscribe', 'shop', 'ghz@1.0.0'], answers)).stdout).toBe('"Shop" no longer calls ghz@1.0.0.\n');
  expect((await run(['unsubscribe', 'shop', 'ghz@2.0.0'], answers)).code).toBe(exitCodes.notFound.code);
});

test('an application that is not there is named with those that are', async () => {
  const { code, stderr } = await run(['keys', 'Store'], {});
  expect([code, stderr]).toEqual([exitCodes.notFound.code, expect.stringContaining('There is: Shop.')]);
});
