import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { ket, type KetOptions } from '@kethub/cli/testing/ket';
import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';

// Builds and executions on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000 });

const password = 'correct horse battery staple';
let platform: TestKethub;
let url: string;
let home: string;

beforeAll(async () => {
  platform = await startTestKethub(sqlite);
  url = new URL(platform.kethub.platform.addresses.api).origin;
  const person = { username: 'grace', email: 'grace@example.org', firstname: 'Grace', lastname: 'Hopper' };
  await platform.kethub.identity.createUser({ ...person, password, status: 'APPROVED' });
  home = await mkdtemp(path.join(os.tmpdir(), 'ket-token-test-'));
});
afterAll(async () => {
  await platform.close();
  await rm(home, { recursive: true });
});

/** Runs ket as Grace, who signs in with her password where the command asks for it. */
function asGrace(...args: string[]) {
  const options: KetOptions = { folder: home, environment: { KET_URL: url }, input: `${password}\n` };
  return ket(args, options);
}

/** The commands of the example for a CI system, in their order. */
function exampleCommands(): string[][] {
  const page = readFileSync(path.join(import.meta.dirname, '../docs/continuous-integration.md'), 'utf8');
  const [github = '', gitlab = ''] = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text);
  const { jobs } = parse(github) as { jobs: { deploy: { steps: { run?: string }[] } } };
  const { deploy } = parse(gitlab) as { deploy: { script: string[] } };
  const steps = jobs.deploy.steps.flatMap(({ run }) => (run?.startsWith('ket ') ? [run] : []));
  expect(steps).toEqual(deploy.script);
  return steps.map((line) => line.split(' ').slice(1));
}

test('a limited token runs the documented jobs of continuous integration, and nothing else', async () => {
  const signIn = ['--username', 'grace', '--password-stdin'];
  expect((await asGrace('login', url, ...signIn)).code).toBe(0);
  for (const name of ['ghz', 'other']) {
    await asGrace('init', name);
    expect((await asGrace('up', name, '--no-publish')).code).toBe(0);
  }
  const made = await asGrace('token', 'create', 'ci', '--for', 'deploy', 'run', '--service', 'ghz', ...signIn);
  expect(made.code).toBe(0);
  expect(made.stdout).toMatch(/^ket_pat_\w{38}\n$/);
  const environment = { KET_URL: url, KET_TOKEN: made.stdout.trim(), KETHUB_CONFIG_DIR: path.join(home, '.ci') };
  for (const command of exampleCommands()) {
    const { code, stderr } = await ket(command, { folder: path.join(home, 'ghz'), environment });
    expect([command, code, code === 0 ? '' : stderr]).toEqual([command, 0, '']);
  }
  const foreign = await ket(['up'], { folder: path.join(home, 'other'), environment });
  expect(foreign.code).toBe(7);
  for (const command of [['app', 'list'], ['list'], ['org', 'list'], ['service', 'delete', 'ghz', '--force']]) {
    const refused = await ket([...command, '--json'], { folder: home, environment });
    expect([command, refused.json()]).toMatchObject([command, { error: { code: 'outside-token-scope' } }]);
  }
  expect((await asGrace('token', 'list', ...signIn)).stdout).toContain('service:publish');
  expect((await asGrace('token', 'delete', 'ci', ...signIn)).code).toBe(0);
  const ended = await ket(['services'], { folder: home, environment });
  expect(ended.code).toBe(3);
  const audit = (await asGrace('audit', '--action', 'access-token:create', '--json')).stdout;
  expect(audit).toContain('service:publish');
});
