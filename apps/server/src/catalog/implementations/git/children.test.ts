import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { KethubProcess } from '../../../testing/child-process.ts';
import { sqlite } from '../../../testing/databases.ts';
import { freePort } from '../../../../../../script/free-port.ts';
import { GitClient, gitTokenOf } from '../../../testing/git-client.ts';
import { processesOn, RawGit, repositoryOf } from '../../../testing/git-raw.ts';
import { startTestKethub, type TestKethub } from '../../../testing/kethub.ts';
import { isRecent } from './check.ts';
import { gitEnvironment } from './environment.ts';

let kethub: TestKethub;

beforeAll(async () => {
  kethub = await startTestKethub(sqlite);
});
afterAll(() => kethub.close());

test('a Git process has a clean environment, limits of resources, and a sandbox without network', async () => {
  const secret = 'never-in-a-child';
  process.env['GIT_SSH_COMMAND'] = secret;
  onTestFinished(() => {
    delete process.env['GIT_SSH_COMMAND'];
  });
  const token = await gitTokenOf(kethub.client);
  const made = await kethub.client.createImplementation({ json: { name: 'children' } });
  const request = new RawGit(made, token).begin('POST', '/git-upload-pack');
  onTestFinished(() => void request.destroy());
  // Git waits for the rest of the line.
  request.write('0032want ');
  const pid = await gitOn(repositoryOf(kethub, made));
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'latin1');
  const environment = (await read('environ')).split('\0').filter((line) => line !== '');
  expect(environment).toContain('GIT_CONFIG_NOSYSTEM=1');
  expect(
    environment.filter((line) => !/^(?:GIT_|PATH=|LC_ALL=C$|HOME=\/nonexistent$|PWD=|SHLVL=|_=)/.test(line)),
  ).toEqual([]);
  expect(environment.join('\n')).not.toContain(secret);
  const limits = await read('limits');
  expect(limits).toMatch(/Max cpu time +600 +600/);
  expect(limits).toMatch(/Max core file size +0 +0/);
  expect(limits).toMatch(/Max address space +4294967296/);
  expect(limits).toMatch(/Max open files +1024 +1024/);
  // Its network has nothing but an interface of its own.
  expect((await read('net/dev')).split('\n').filter((line) => line.includes(':') && !/^ *lo:/.test(line))).toEqual([]);
  expect((await read('status')).match(/CapEff:\t0+\n/)).not.toBeNull();
});

test('a ref is on the disk before a push is answered', async () => {
  const made = await kethub.client.createImplementation({ json: { name: 'synced' } });
  const token = await gitTokenOf(kethub.client);
  const client = await GitClient.open();
  onTestFinished(() => client.close());
  const tip = await client.commit('synced', { 'a.txt': '1' });
  await client.run('synced', 'push', '-q', made.cloneUrl.replace('://', `://x:${token}@`), 'main');
  const env = { ...gitEnvironment('/nonexistent', { pushBytes: 1 }), GIT_TRACE2_EVENT: '2' };
  const args = ['--git-dir', repositoryOf(kethub, made), 'update-ref', 'refs/heads/other', tip];
  const { stderr } = spawnSync('git', args, { env, encoding: 'utf8' });
  expect(stderr).toMatch(/"key":"fsync\/hardware-flush","value":"[1-9]/);
});

/** Waits for Git itself in a sandbox on a repository. Returns its id. */
async function gitOn(repository: string): Promise<number> {
  for (;;) {
    for (const pid of (await Promise.all(processesOn(repository).map(descendantsOf))).flat())
      if ((await commandOf(pid)).startsWith('git\0upload-pack')) return pid;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function commandOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
}

async function descendantsOf(pid: number): Promise<number[]> {
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '');
  const children = listed.split(' ').flatMap((one) => (one.trim() === '' ? [] : [Number(one)]));
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()];
}

test.each([
  ['git version 2.39.5', true],
  ['git version 2.39.4', true],
  ['git version 2.39.3', false],
  ['git version 2.20.1', false],
  ['git version 2.40', true],
  ['git version 3.0.0', true],
  ['git version 1.9.1', false],
  ['git version 2.47.1.windows.2', true],
  ['no version', false],
])('%s is recent: %s', (line, recent) => {
  expect(isRecent(line)).toBe(recent);
});

test('with a program that claims to be an older Git the platform does not start, and says what to do', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-old-git-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const git = path.join(folder, 'git');
  await writeFile(git, '#!/bin/sh\necho git version 2.30.2\n');
  await chmod(git, 0o755);
  const port = await freePort();
  const platform = new KethubProcess(
    {
      PATH: `${folder}:${process.env['PATH']}`,
      KETHUB_DATA_DIR: path.join(folder, 'data'),
      KETHUB_PORT: String(port),
      KETHUB_GATEWAY_PORT: String(await freePort()),
      KETHUB_DASHBOARD: 'off',
      KETHUB_DEMO: 'off',
    },
    port,
  );
  const refusal = await platform.refusal();
  expect(refusal).toContain('The role git needs Git 2.39.4 or later; this is git version 2.30.2.');
  expect(refusal).toContain('apt-get install git');
});
