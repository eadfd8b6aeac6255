import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { amounts } from '@kethub/server/testing/amounts';
import { KethubProcess } from '@kethub/server/testing/child-process';
import { sqlite } from '@kethub/server/testing/databases';
import { GitClient, gitTokenOf } from '@kethub/server/testing/git-client';
import { leftoversIn, repositoryOf } from '@kethub/server/testing/git-raw';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';

// Each kill is a start of the platform, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 300_000 });

/** Kills, and milliseconds by which each comes later than the one before: the last one after 600 ms. */
const KILLS = amounts.killsOfPushes;
const STEP_MS = 600 / KILLS;
/** Checks of a repository, and milliseconds between them. */
const ATTEMPTS = 20;
const PAUSE_MS = 250;
/** Files that the upkeep writes meanwhile. */
const UPKEEP = /^objects\/(?:pack\/(?:\.tmp-|tmp_)|info\/)|^packed-refs\.lock$/;

let kethub: TestKethub;
let client: GitClient;
let platform: KethubProcess;
let url: string;
let repository: string;
/** The id of the implementation on the platform of the next process. */
let id: string;
let token: string;
let api: string;

beforeAll(async () => {
  kethub = await startTestKethub(sqlite);
  client = await GitClient.open();
  token = await gitTokenOf(kethub.client);
  const made = await kethub.client.createImplementation({ json: { name: 'killed' } });
  url = made.cloneUrl.replace('://', `://x:${token}@`);
  ({ id } = made);
  repository = repositoryOf(kethub, made);
  const { gateway } = kethub.platform.addresses;
  ({ api } = kethub.platform.addresses);
  await kethub.stop();
  const settings = {
    KETHUB_DATA_DIR: kethub.dataDir,
    KETHUB_PORT: new URL(api).port,
    KETHUB_GATEWAY_PORT: new URL(gateway).port,
    KETHUB_DASHBOARD: 'off',
    KETHUB_DEMO: 'off',
    KETHUB_LOG_LEVEL: 'debug',
  };
  platform = new KethubProcess(settings, Number(settings.KETHUB_PORT));
  await platform.ready();
});
afterAll(async () => {
  await platform.end();
  await client.close();
  await kethub.close();
});

/** Checks every object. The upkeep may replace a pack at the same time, and the check is then made again. */
async function untilWhole(): Promise<void> {
  let found = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { code, err } = await client.try('killed', '--git-dir', repository, 'fsck', '--full', '--strict');
    if (code === 0) return;
    found = err;
    await pause(PAUSE_MS);
  }
  throw new Error(`The repository is damaged: ${found}`);
}

/** Waits until the row of the implementation names the commit that its repository has. */
async function untilRecorded(tip: string): Promise<void> {
  for (let head = ''; head !== tip; await pause(20)) {
    const answer = await fetch(`${api}/implementations/${id}`, { headers: { 'x-auth-token': token } });
    head = ((await answer.json()) as { head: string }).head;
  }
}

test(`after ${KILLS} kills in the middle of pushes every repository is whole, at the old or the new commit`, async () => {
  let before = await client.commit('killed', { 'a.txt': 'first' });
  await client.run('killed', 'push', '-q', url, 'main');
  let cutOff = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const after = await client.commit('killed', { 'data.bin': randomBytes(1024 * 1024) });
    const push = client.try('killed', 'push', '-q', url, 'main');
    await pause(kill * STEP_MS);
    await platform.end('SIGKILL');
    const { code } = await push;
    if (code !== 0) cutOff++;
    await platform.restart();
    const tip = await client.run('killed', '--git-dir', repository, 'rev-parse', 'refs/heads/main');
    expect([before, after]).toContain(tip);
    if (code === 0) expect(tip).toBe(after);
    await untilWhole();
    await untilRecorded(tip);
    await client.run('killed', 'push', '-q', url, 'main');
    before = after;
    expect((await leftoversIn(repository)).filter((name) => !UPKEEP.test(name))).toEqual([]);
  }
  expect(cutOff).toBeGreaterThan(0);
});
