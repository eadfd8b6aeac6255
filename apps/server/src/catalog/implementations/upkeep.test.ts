import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Implementation } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { GitClient, gitTokenOf } from '../../testing/git-client.ts';
import { processesOn, repositoryOf, requireWhole } from '../../testing/git-raw.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';

const REPOSITORIES = 4;

vi.setConfig({ testTimeout: 180_000 });

describe.each(databases())('upkeep of repositories on $name', (kind) => {
  let kethub: TestKethub;
  let client: GitClient;
  let token: string;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    client = await GitClient.open();
    token = await gitTokenOf(kethub.client);
  });
  afterAll(async () => {
    await client.close();
    await kethub.close();
  });

  test('packs are joined, and a deleted repository is kept for a week', async () => {
    const made = await kethub.client.createImplementation({ json: { name: 'packed' } });
    const url = made.cloneUrl.replace('://', `://x:${token}@`);
    for (const text of ['1', '2', '3']) {
      await client.commit('packed', { 'a.txt': text });
      await client.run('packed', 'push', '-q', url, 'main');
    }
    const folder = path.join(kethub.dataDir, 'repositories');
    const packs = async () => readdir(path.join(folder, made.id.slice(-2), `${made.id}.git`, 'objects/pack'));
    const isJoined = (names: readonly string[]) =>
      names.some((name) => name.endsWith('.bitmap')) && names.filter((name) => name.endsWith('.pack')).length === 1;
    await kethub.restart();
    // The first round of the new process packs what it finds.
    while (!isJoined(await packs())) await new Promise((resolve) => setTimeout(resolve, 50));
    await client.run('', 'clone', '-q', url, 'again');
    await kethub.client.deleteImplementation({ implementationId: made.id });
    expect((await client.try('', 'clone', '-q', url, 'gone')).code).not.toBe(0);
    const trash = async () => readdir(path.join(folder, 'trash')).catch(() => []);
    await kethub.restart();
    while ((await trash()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await trash()).toEqual([expect.stringContaining(made.id)]);
  });

  test('one repository is packed at a time, also while they are pushed to, and each stays whole', async () => {
    const made = await Promise.all(
      Array.from({ length: REPOSITORIES }, (_, number) =>
        kethub.client.createImplementation({ json: { name: `busy-${number}` } }),
      ),
    );
    const push = async ({ name, cloneUrl }: Implementation) => {
      await client.commit(name, { 'data.bin': randomBytes(50_000) });
      await client.run(name, 'push', '-q', cloneUrl.replace('://', `://x:${token}@`), 'main');
    };
    for (const one of made) await push(one);
    await kethub.restart();
    const [pushed, ...others] = made;
    if (!pushed) throw new Error('There is no repository to push to');
    const packed = new AbortController();
    const pushing = (async () => {
      while (!packed.signal.aborted) await push(pushed);
    })();
    const isPacked = async (one: Implementation) =>
      (await readdir(path.join(repositoryOf(kethub, one), 'objects/pack'))).some((name) => name.endsWith('.bitmap'));
    let most = 0;
    for (const waiting = new Set(others); waiting.size > 0; await pause(10)) {
      const packing = processesOn('\0repack\0').map(commandOf);
      const repositories = made.filter((one) => packing.some((command) => command.includes(repositoryOf(kethub, one))));
      most = Math.max(most, repositories.length);
      for (const one of waiting) if (await isPacked(one)) waiting.delete(one);
    }
    packed.abort();
    await pushing;
    expect(most).toBe(1);
    for (const one of made) await requireWhole(client, repositoryOf(kethub, one));
  });
});

/** The command of a process; empty when it has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
