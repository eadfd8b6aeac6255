import { expect, test } from 'vitest';
import { folderWith } from './testing/folder.ts';
import { ket } from './testing/ket.ts';
import { standInPlatform } from './testing/platform.stand-in.ts';

const id = '019a7c3e-5b0d-7c4e-9a51-0f6d2b8f4c11';
const execution = {
  id,
  status: 'SUCCEEDED',
  createdAt: '2026-01-01 00:00:00',
  serviceName: 'Probe',
  version: '1.0.0',
  applicationId: null,
  personId: 'p',
  tags: ['nightly', 'a b'],
  _links: {},
};

async function run(body: unknown, ...args: string[]) {
  const { url } = await standInPlatform({
    'GET /api/service-executions?limit=20&tag=a+b': { status: 200, body },
    'GET /api/service-executions?limit=20': { status: 200, body: [] },
    [`GET /api/service-executions/${id}`]: { status: 200, body: execution },
  });
  return ket(args, { folder: await folderWith(), environment: { KET_TOKEN: 'ket_pat_x', KET_URL: url } });
}

test('the tags of executions are shown, and narrow the list', async () => {
  const { code, stdout } = await run([execution], 'list', '--tag', 'a b');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/TAGS\n.* nightly, a b\n$/)]);
  const { json } = await run([execution], 'list', '--tag', 'a b', '--json');
  expect(json<{ tags: string[] }[]>().map(({ tags }) => tags)).toEqual([['nightly', 'a b']]);
  expect((await run([], 'list', '--tag', 'a b')).stderr).toContain('No executions with the tag a b.');
  expect((await run([], 'list')).stderr).toContain('No executions yet.');
  expect((await run([], 'status', id)).stdout).toMatch(/^tags +nightly, a b$/m);
});
