import { expect, test } from 'vitest';
import { exitCodes } from './failures.ts';
import { folderWith } from './testing/folder.ts';
import { ket } from './testing/ket.ts';
import { standInPlatform } from './testing/platform.stand-in.ts';

function platformOf(username: string) {
  const me = { id: 'u', username, firstname: 'A', lastname: 'B', email: `${username}@example.org` };
  return standInPlatform({ 'GET /api/me': { status: 200, body: me } });
}

test('each profile has its platform; --profile goes before KET_TOKEN, KET_PROFILE before the choice', async () => {
  const folder = await folderWith();
  const [one, two] = [await platformOf('ada'), await platformOf('grace')];
  const input = 'ket_pat_x\n';
  expect((await ket(['login', one.url, '--token'], { folder, input })).code).toBe(0);
  expect((await ket(['login', two.url, '--token', '--profile', 'lab'], { folder, input })).code).toBe(0);
  const whoami = async (environment: Record<string, string>, ...args: string[]) =>
    (await ket(['whoami', ...args], { folder, environment })).stdout.split(' ')[0];
  expect(await whoami({})).toBe('ada');
  expect(await whoami({ KET_PROFILE: 'lab' })).toBe('grace');
  expect((await ket(['profile', 'use', 'lab'], { folder })).code).toBe(0);
  expect(await whoami({})).toBe('grace');
  expect(await whoami({ KET_PROFILE: 'default' })).toBe('ada');
  expect(await whoami({ KET_TOKEN: 'ket_pat_y', KET_URL: one.url })).toBe('ada');
  expect(await whoami({ KET_TOKEN: 'ket_pat_y', KET_URL: one.url }, '--profile', 'lab')).toBe('grace');
  const { stdout } = await ket(['profile', 'list'], { folder });
  expect(stdout).toMatch(/^\* +lab +http/m);
  expect((await ket(['profile', 'delete', 'lab'], { folder })).code).toBe(exitCodes.usage.code);
  expect((await ket(['profile', 'use', 'default'], { folder })).code).toBe(0);
  expect((await ket(['profile', 'delete', 'lab'], { folder })).code).toBe(0);
  expect((await ket(['whoami', '--profile', 'lab'], { folder })).code).toBe(exitCodes.signedOut.code);
});

test.each(['../credentials', '', 'a/b'])('%j is no name of a profile', async (name) => {
  const { code } = await ket(['whoami', `--profile=${name}`], { folder: await folderWith() });
  expect(code).toBe(exitCodes.usage.code);
});
