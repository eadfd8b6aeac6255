import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { GitClient } from '../../testing/git-client.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';

describe.each(databases)('upkeep of repositories on $name', (kind) => {
  let kethub: TestKethub;
  let client: GitClient;
  let token: string;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    client = await GitClient.open();
    token = (await kethub.client.createAccessToken({ json: { name: 'git' } })).value ?? '';
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
});
