import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ket } from '../apps/cli/src/testing/ket.ts';
import { sqlite } from '../apps/server/src/testing/databases.ts';
import { GitClient } from '../apps/server/src/testing/git-client.ts';
import { startTestKethub, type TestKethub } from '../apps/server/src/testing/kethub.ts';

// Repositories at the command line. Each ket is a process of its own, against a whole platform.
vi.setConfig({ testTimeout: 120_000 });

let platform: TestKethub;
let home: string;
let client: GitClient;
let environment: Record<string, string>;

beforeAll(async () => {
  platform = await startTestKethub(sqlite);
  home = await mkdtemp(path.join(os.tmpdir(), 'ket-test-'));
  client = await GitClient.open();
  const { value } = await platform.client.createAccessToken({ json: { name: 'ket' } });
  const url = new URL(platform.platform.addresses.api).origin;
  environment = { KETHUB_CONFIG_DIR: home, KET_URL: url, KET_TOKEN: value ?? '' };
});
afterAll(async () => {
  await client.close();
  await platform.close();
  await rm(home, { recursive: true });
});

const run = (args: readonly string[], input?: string) =>
  ket(args, { folder: home, environment, ...(input !== undefined && { input }) });

test('create, push with the credential helper, make a service, share and delete', async () => {
  const made = await run(['repo', 'create', 'solver', '--description', 'Solves it']);
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('git push') });
  const url = made.stdout.trim();
  const commit = await client.commit('solver', {
    'src/__init__.py': '',
    'src/program.py': 'def run(data): return 1\n',
  });
  const { host, protocol } = new URL(url);
  const asked = `protocol=${protocol.slice(0, -1)}\nhost=${host}\n\n`;
  const answer = await run(['credential-helper', 'get'], asked);
  expect(answer.stdout).toBe(`username=ket\npassword=${environment['KET_TOKEN']}\n`);
  expect((await run(['credential-helper', 'get'], 'protocol=https\nhost=evil.example.org\n\n')).stdout).toBe('');
  expect((await run(['credential-helper', 'erase'], asked)).stdout).toBe('');
  const helper = `!f() { printf '${answer.stdout.replaceAll('\n', '\\n')}'; }; f`;
  await client.run('solver', '-c', `credential.helper=${helper}`, 'push', '-q', url, 'main');
  while (!(await run(['repo', 'show', 'solver'])).stdout.includes(commit.slice(0, 12)));
  expect((await run(['repo', 'list'])).stdout).toMatch(/solver +owner +private/);
  const service = await run(['repo', 'service', 'solver', '--name', 'From a commit', '--json']);
  expect(service.json<{ versions: object[] }>().versions[0]).toMatchObject({ origin: { ref: 'main', commit } });
  await platform.signIn('ben');
  expect(await run(['repo', 'share', 'solver', 'ben', '--role', 'maintainer'])).toMatchObject({ code: 0 });
  expect((await run(['repo', 'members', 'solver'])).stdout).toContain('maintainer');
  expect(await run(['repo', 'unshare', 'solver', 'ben'])).toMatchObject({ code: 0 });
  expect((await run(['repo', 'change', 'solver', '--name', 'other'])).stdout).toContain('/other.git');
  expect((await run(['repo', 'delete', 'other'])).code).not.toBe(0);
  expect(await run(['repo', 'delete', 'other', '--force'])).toMatchObject({ code: 0 });
  expect((await run(['repo', 'show', 'other'])).code).not.toBe(0);
});
