import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
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

/** Standard output of a script in a shell that finds Node and what npm installs globally, and knows nothing else. */
async function inShell(script: string, folder: string, variables: Record<string, string>): Promise<string> {
  const prefix = path.join(home, 'npm');
  const env = {
    ...variables,
    PATH: `${prefix}/bin:${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: path.join(home, 'runner'),
    npm_config_prefix: prefix,
  };
  return (await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', script], { cwd: folder, env })).stdout;
}

/** The shell scripts of the example files for CI systems, and the folders that they keep. */
function examples(): Record<'github' | 'gitlab', { readonly scripts: readonly string[]; readonly kept: string }> {
  const page = readFileSync(path.join(import.meta.dirname, '../docs/continuous-integration.md'), 'utf8');
  const [github = '', gitlab = ''] = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text);
  const { jobs } = parse(github) as {
    jobs: { deploy: { steps: { uses?: string; run?: string; with?: { path?: string } }[] } };
  };
  const { deploy } = parse(gitlab) as {
    deploy: { before_script: string[]; script: string[]; artifacts: { paths: string[] } };
  };
  const { steps } = jobs.deploy;
  const upload = steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'));
  return {
    // Each step of GitHub has a shell of its own; GitLab gives all lines to one.
    github: { scripts: steps.flatMap(({ run }) => run ?? []), kept: upload?.with?.path ?? '' },
    gitlab: { scripts: [[...deploy.before_script, ...deploy.script].join('\n')], kept: deploy.artifacts.paths.join() },
  };
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
  const { github, gitlab } = examples();
  for (const [system, { scripts, kept }] of Object.entries({ github, gitlab })) {
    const folder = path.join(home, system);
    await cp(path.join(home, 'ghz'), folder, { recursive: true });
    // No file comes out of this service: the folder that the job keeps is there all the same.
    await writeFile(
      path.join(folder, 'src/program.py'),
      'def run(data, params):\n    return {"by": "' + system + '"}\n',
    );
    const said = [];
    for (const script of scripts) said.push(await inShell(script, folder, environment));
    expect([system, said.join('')]).toEqual([system, expect.stringContaining(`"by": "${system}"`)]);
    expect(said.join('')).toMatch(/\/ghz\/1\.\d\.0\/\n$/);
    expect(await readdir(path.join(folder, kept))).toEqual([]);
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
