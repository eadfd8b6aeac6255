import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ket } from '@kethub/cli/testing/ket';
import { sqlite } from '@kethub/server/testing/databases';
import { GitClient } from '@kethub/server/testing/git-client';
import { startGitHttpsServer, type GitHttpsServer } from '@kethub/server/testing/git-https';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';

// Repositories at the command line. Each ket is a process of its own, against a whole platform.
vi.setConfig({ testTimeout: 120_000 });

let platform: TestKethub;
let home: string;
let client: GitClient;
let origin: GitHttpsServer;
let environment: Record<string, string>;

beforeAll(async () => {
  origin = await startGitHttpsServer();
  platform = await startTestKethub(sqlite, {
    KETHUB_IMPORT_NETWORKS: '127.0.0.1',
    KETHUB_IMPORT_CA_FILE: origin.authority,
  });
  home = await mkdtemp(path.join(os.tmpdir(), 'ket-test-'));
  client = await GitClient.open();
  const { value } = await platform.client.createAccessToken({ json: { name: 'ket' } });
  const url = new URL(platform.platform.addresses.api).origin;
  environment = { KETHUB_CONFIG_DIR: home, KET_URL: url, KET_TOKEN: value ?? '' };
});
afterAll(async () => {
  await client.close();
  await platform.close();
  await origin.close();
  await rm(home, { recursive: true });
});

const run = (args: readonly string[], input?: string) =>
  ket(args, { folder: home, environment, ...(input !== undefined && { input }) });
/** Runs ket as another person. */
const runAs = (token: string, ...args: string[]) =>
  ket(args, { folder: home, environment: { ...environment, KET_TOKEN: token } });

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
  expect(await run(['repo', 'release', 'other', `${url}x`])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(url),
  });
  expect((await run(['repo', 'release', 'other', url])).stdout).toBe(`${url} is free for others now.\n`);
  expect((await run(['repo', 'show', 'other'])).stdout).not.toContain('solver.git');
  expect((await run(['repo', 'delete', 'other'])).code).not.toBe(0);
  expect(await run(['repo', 'delete', 'other', '--force'])).toMatchObject({ code: 0 });
  expect((await run(['repo', 'show', 'other'])).code).not.toBe(0);
});

test('import once, follow as a mirror, read it again, and end that', async () => {
  const first = await client.commit('far', { 'README.md': '# Far\n' });
  const target = path.join(origin.root, 'far.git');
  execFileSync('git', ['init', '-q', '--bare', '--initial-branch=main', target]);
  await client.run('far', 'push', '-q', '--mirror', target);
  const url = `${origin.url}/far.git`;
  const once = await run(['repo', 'import', url]);
  expect(once).toMatchObject({ code: 0, stdout: expect.stringMatching(/\/far\.git\n$/) });
  expect((await run(['repo', 'show', 'far'])).stdout).toContain(first.slice(0, 12));
  expect(await run(['repo', 'import', url, 'mirrored', '--mirror'])).toMatchObject({ code: 0 });
  const second = await client.commit('far', { 'README.md': '# Farther\n' });
  await client.run('far', 'push', '-q', '--mirror', target);
  expect(await run(['repo', 'sync', 'mirrored'])).toMatchObject({ code: 0 });
  expect((await run(['repo', 'show', 'mirrored'])).stdout).toContain(second.slice(0, 12));
  expect((await run(['repo', 'show', 'far'])).stdout).not.toContain(second.slice(0, 12));
  expect((await run(['repo', 'unlink', 'mirrored'])).stdout).toBe('"mirrored" follows no other repository any more.\n');
  expect((await run(['repo', 'sync', 'mirrored'])).code).not.toBe(0);
  const wrong = await run(['repo', 'import', `${origin.url}/nothing.git`, 'nothing']);
  expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('ket repo sync') });
});

test('invite by e-mail, list, join, decline and withdraw', async () => {
  const { client: carol } = await platform.signIn('carol');
  const token = (await carol.createAccessToken({ json: { name: 'ket' } })).value ?? '';
  await run(['repo', 'create', 'invited']);
  const invite = async (email: string) => {
    const made = await run(['repo', 'invite', 'invited', email, '--role', 'maintainer', '--json']);
    return made.json<{ id: string }>().id;
  };
  const declined = await invite('carol@example.org');
  expect((await runAs(token, 'repo', 'invitations')).stdout).toMatch(/invited +maintainer +carol@example\.org/);
  expect(await runAs(token, 'repo', 'decline', declined)).toMatchObject({ code: 0 });
  expect((await runAs(token, 'repo', 'invitations')).stdout).toBe('');
  const withdrawn = await invite('carol@example.org');
  expect((await run(['repo', 'invitations', '--of', 'invited'])).stdout).toContain(withdrawn);
  expect(await run(['repo', 'withdraw', 'invited', withdrawn])).toMatchObject({ code: 0 });
  expect((await runAs(token, 'repo', 'join', withdrawn)).code).not.toBe(0);
  const accepted = await invite('carol@example.org');
  const joined = await runAs(token, 'repo', 'join', accepted);
  expect(joined.stdout).toMatch(/^You are maintainer of "invited": http.*\/invited\.git\n$/);
  expect((await run(['repo', 'members', 'invited'])).stdout).toContain('maintainer');
  expect((await runAs(token, 'repo', 'leave', 'invited')).stdout).toBe('You no longer have access to "invited".\n');
  expect((await runAs(token, 'repo', 'show', 'invited')).code).toBe(4);
  expect((await runAs(token, 'repo', 'search', 'invi')).stderr).toContain('No public implementation fits.');
  expect(await run(['repo', 'change', 'invited', '--visibility', 'public'])).toMatchObject({ code: 0 });
  expect((await runAs(token, 'repo', 'search', 'invi')).stdout).toMatch(/invited .*\/invited\.git\n$/);
});

test('protected branches refuse what rewrites them until that is changed', async () => {
  const url = (await run(['repo', 'create', 'guarded'])).stdout.trim();
  const address = url.replace('://', `://x:${environment['KET_TOKEN']}@`);
  await client.commit('guarded', { 'a.txt': '1' });
  await client.run('guarded', 'push', '-q', address, 'main', 'main:release/1', 'main:free');
  expect(await run(['repo', 'protect', 'guarded', 'release/*'])).toMatchObject({ code: 0 });
  await client.run('guarded', 'push', '-q', address, ':free');
  expect((await client.try('guarded', 'push', '-q', address, ':release/1')).err).toContain('is protected');
  expect(await run(['repo', 'protect', 'guarded', '--no-default'])).toMatchObject({ code: 0 });
  await client.run('guarded', 'push', '-q', address, ':release/1');
  expect((await run(['repo', 'protect', 'guarded', 'a..b'])).code).not.toBe(0);
});
