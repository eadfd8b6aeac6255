import { expect, test } from 'vitest';
import { folderWith } from './testing/folder.ts';
import { ket } from './testing/ket.ts';
import { standInPlatform } from './testing/platform.stand-in.ts';

const service = { id: 's1', name: 'Adder', slug: 'adder', type: 'MANAGED', versions: [] };
const source = {
  implementationId: 'i1',
  on: 'TAG',
  pattern: 'v*',
  action: 'PUBLISH',
  lastCommit: null,
  lastVersion: '1.2.3',
  problem: 'The version 1.2.3 is there.',
};

async function run(...args: string[]) {
  const { url, requests } = await standInPlatform({
    'GET /api/services': { status: 200, body: [service] },
    'GET /api/implementations': { status: 200, body: [{ id: 'i1', name: 'adder', defaultBranch: 'main' }] },
    'GET /api/services/s1/source': { status: 200, body: source },
    'PUT /api/services/s1/source': { status: 200, body: source },
    'DELETE /api/services/s1/source': { status: 204 },
    'GET /api/search/organizations?q=Lab': { status: 200, body: [{ id: 'o1', name: 'Lab' }] },
    'GET /api/search/everything?q=add': { status: 200, body: [{ type: 'SERVICE', id: 's1', name: 'Adder' }] },
  });
  const environment = { KET_TOKEN: 'ket_pat_x', KET_URL: url };
  return { ...(await ket(args, { folder: await folderWith(), environment })), requests };
}

test('an implementation whose tags make versions is shown, set and taken away', async () => {
  const shown = await run('service', 'automate', 'adder');
  expect(shown.stdout).toBe('Each tag v* makes a version, which is published. The last one was 1.2.3.\n');
  expect(shown.stderr).toContain('The version 1.2.3 is there.');
  const set = await run('service', 'automate', 'adder', 'adder', '--tag', 'v*', '--publish');
  expect(set.stdout).toBe('Pushes to adder make versions of adder from now on.\n');
  expect(set.requests.at(-1)).toBe('PUT /api/services/s1/source');
  expect((await run('service', 'unautomate', 'adder')).code).toBe(0);
  expect((await run('service', 'automate', 'adder', 'adder', '--tag', 'v*', '--branch', 'main')).code).toBe(2);
});

test('a build needs a version', async () => {
  const { code, stderr } = await run('service', 'rebuild', 'adder');
  expect(code).toBe(2);
  expect(stderr).toContain('Which version?');
});

test('resources and organizations are found by name', async () => {
  expect((await run('find', 'add')).stdout).toMatch(/SERVICE +Adder +s1/);
  expect((await run('find', 'Lab', '--organizations')).stdout).toMatch(/ORGANIZATION +Lab +o1/);
});
