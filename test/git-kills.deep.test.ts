import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { KethubProcess } from '../apps/server/src/testing/child-process.ts';
import { sqlite } from '../apps/server/src/testing/databases.ts';
import { GitClient } from '../apps/server/src/testing/git-client.ts';
import { startTestKethub, type TestKethub } from '../apps/server/src/testing/kethub.ts';

// Twenty starts of a platform take a minute on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

/** Kills, and milliseconds by which each comes later than the one before. */
const KILLS = 20;
const STEP_MS = 15;
/** Checks of a repository, and milliseconds between them. */
const ATTEMPTS = 20;
const PAUSE_MS = 250;

let kethub: TestKethub;
let client: GitClient;
let platform: KethubProcess;
let url: string;
let repository: string;

beforeAll(async () => {
  kethub = await startTestKethub(sqlite);
  client = await GitClient.open();
  const token = (await kethub.client.createAccessToken({ json: { name: 'git' } })).value ?? '';
  const made = await kethub.client.createImplementation({ json: { name: 'killed' } });
  url = made.cloneUrl.replace('://', `://x:${token}@`);
  repository = path.join(kethub.dataDir, 'repositories', made.id.slice(-2), `${made.id}.git`);
  const { api, gateway } = kethub.platform.addresses;
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
async function requireWhole(): Promise<void> {
  let found = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { code, err } = await client.try('killed', '--git-dir', repository, 'fsck', '--full', '--strict');
    if (code === 0) return;
    found = err;
    await pause(PAUSE_MS);
  }
  throw new Error(`The repository is damaged: ${found}`);
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
    await requireWhole();
    await client.run('killed', 'push', '-q', url, 'main');
    before = after;
    const names = await readdir(repository, { recursive: true });
    expect(names.filter((name) => /^refs\/.*\.lock$|(?:^|\/)(?:tmp_objdir-)?incoming-/.test(name))).toEqual([]);
  }
  expect(cutOff).toBeGreaterThan(0);
});
