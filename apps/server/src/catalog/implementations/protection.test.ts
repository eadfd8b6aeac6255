import type { Implementation } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { GitClient, gitTokenOf } from '../../testing/git-client.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';

describe.each(databases())('protected branches on $name', (kind) => {
  let kethub: TestKethub;
  let client: GitClient;
  let made: Implementation;
  let url: string;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    client = await GitClient.open();
    const token = await gitTokenOf(kethub.client);
    made = await kethub.client.createImplementation({ json: { name: 'guarded' } });
    url = made.cloneUrl.replace('://', `://x:${token}@`);
    await client.commit('work', { 'a.txt': '1' });
    await client.commit('work', { 'a.txt': '2' });
    await client.run('work', 'push', '-q', url, 'main', 'main:release/1', 'main:feature', 'main:releases');
  });
  afterAll(async () => {
    await client.close();
    await kethub.close();
  });

  const protect = (defaultBranch: boolean, patterns: string[]) =>
    kethub.client.updateImplementation({
      implementationId: made.id,
      json: { protection: { defaultBranch, patterns } },
    });

  test('the default branch is protected at first: what follows arrives, a rewritten history and a deletion do not', async () => {
    expect(made.protection).toEqual({ defaultBranch: true, patterns: [] });
    await client.commit('work', { 'a.txt': '3' });
    await client.run('work', 'push', '-q', url, 'main');
    const rewritten = await client.try('work', 'push', '--force', url, 'main~2:refs/heads/main');
    expect(rewritten.err).toContain('The branch main is protected: its history cannot be rewritten.');
    expect((await client.try('work', 'push', url, ':main')).err).toContain('main');
    expect(await client.run('work', 'ls-remote', url, 'refs/heads/main')).toContain(
      await client.run('work', 'rev-parse', 'main'),
    );
    await client.run('work', 'push', '-q', '--force', url, 'main~2:refs/heads/feature');
  });

  test('patterns protect further branches, and a refused branch refuses the whole push', async () => {
    await protect(true, ['release/*']);
    const push = await client.try('work', 'push', url, ':release/1', ':releases');
    expect(push.err).toContain('The branch release/1 is protected: it cannot be deleted.');
    expect(await client.run('work', 'ls-remote', url, 'refs/heads/releases')).not.toBe('');
    await client.run('work', 'push', '-q', url, ':releases');
  });

  test('an owner switches it off', async () => {
    await protect(false, []);
    await client.run('work', 'push', '-q', '--force', url, 'main~2:refs/heads/main', ':release/1');
  });

  test.each(['a b', '-x', '', '..', 'a?b', 'a\nb', '$(id)~'])('the pattern %j is refused', async (pattern) => {
    await expect(protect(true, [pattern])).rejects.toMatchObject({ status: 400 });
  });

  test.each(['$(touch${IFS}kethub)', '`id`', ';exit', '"*', "'*"])(
    'the pattern %j is text to the shell of the hook',
    async (pattern) => {
      await protect(false, [pattern]);
      await client.run('work', 'push', '-q', '--force', url, 'main~1:refs/heads/plain');
      await client.run('work', 'push', '-q', url, ':plain');
      await protect(false, []);
    },
  );
});
