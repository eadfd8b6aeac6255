import type { Implementation, Service, ServiceSource } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { GitClient, gitTokenOf } from '../../../testing/git-client.ts';
import { build, startTestKethub, type TestKethub } from '../../../testing/kethub.ts';

const program = (answer: number) => `def run(data, params):\n    return {"answer": ${answer}}\n`;

describe.each(databases())('pushes that become versions on $name', (kind) => {
  let kethub: TestKethub;
  let client: GitClient;
  let made: Implementation;
  let url: string;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    client = await GitClient.open();
    const token = await gitTokenOf(kethub.client);
    made = await kethub.client.createImplementation({ json: { name: 'followed' } });
    url = made.cloneUrl.replace('://', `://x:${token}@`);
  });
  afterAll(async () => {
    await client.close();
    await kethub.close();
  });

  const service = async (name: string): Promise<Service> =>
    (await build(kethub.client, name, { 'src/__init__.py': '', 'src/program.py': program(0) })).service;
  const push = async (answer: number, ...refs: string[]): Promise<string> => {
    const commit = await client.commit('followed', { 'src/__init__.py': '', 'src/program.py': program(answer) });
    await client.run('followed', 'push', '-q', url, 'main', ...refs);
    return commit;
  };
  const sourceUntil = async (serviceId: string, isSo: (source: ServiceSource) => boolean): Promise<ServiceSource> => {
    for (;;) {
      const source = await kethub.client.getServiceSource({ serviceId });
      if (isSo(source)) return source;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  test('a branch makes the next draft, and a later push replaces it', async () => {
    const { id: serviceId } = await service('branch');
    await kethub.client.publishServiceVersion({ serviceId, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    const json = { implementationId: made.id, on: 'BRANCH' as const, pattern: 'main', action: 'DRAFT' as const };
    await kethub.client.setServiceSource({ serviceId, json });
    for (const answer of [1, 2]) {
      const commit = await push(answer);
      const source = await sourceUntil(serviceId, ({ lastCommit }) => lastCommit === commit);
      expect(source).toMatchObject({ lastVersion: '1.1.0', problem: null });
      const found = await kethub.client.getServiceVersion({ serviceId, version: '1.1.0' });
      expect(found).toMatchObject({ state: 'DRAFT', origin: { ref: 'main', commit } });
    }
    await kethub.client.removeServiceSource({ serviceId });
  });

  test('of the pushes during a build only the newest becomes a version', async () => {
    const { service: busy, build: first } = await build(kethub.client, 'busy', {
      'src/__init__.py': '',
      'src/program.py': program(0),
    });
    const serviceId = busy.id;
    const setStatus = (status: 'RUNNING' | 'SUCCEEDED') =>
      kethub.platform.database.write((transaction) =>
        transaction.updateTable('builds').set({ status, worker_id: null }).where('id', '=', first.id).execute(),
      );
    await setStatus('RUNNING');
    const json = { implementationId: made.id, on: 'BRANCH' as const, pattern: 'main', action: 'DRAFT' as const };
    await kethub.client.setServiceSource({ serviceId, json });
    // Another service follows the same branch. Once it has a later push, the one before was looked at for both.
    const other = await service('idle');
    await kethub.client.setServiceSource({ serviceId: other.id, json });
    await push(20);
    let newest = '';
    for (const answer of [21, 22]) {
      newest = await push(answer);
      await sourceUntil(other.id, ({ lastCommit }) => lastCommit === newest);
    }
    expect(await kethub.client.getServiceSource({ serviceId })).toMatchObject({ lastCommit: null, problem: null });
    expect((await kethub.client.getBuild({ serviceId, version: '1.0.0' })).id).toBe(first.id);
    await setStatus('SUCCEEDED');
    await sourceUntil(serviceId, ({ lastCommit }) => lastCommit !== null);
    const version = await kethub.client.getServiceVersion({ serviceId, version: '1.0.0' });
    expect(version.origin).toMatchObject({ commit: newest });
  });

  test('a tag makes the version of its number and publishes it; a lower number is refused', async () => {
    const { id: serviceId } = await service('tagged');
    await kethub.client.publishServiceVersion({ serviceId, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    const json = { implementationId: made.id, on: 'TAG' as const, pattern: 'v*', action: 'PUBLISH' as const };
    await kethub.client.setServiceSource({ serviceId, json });
    const first = await push(3);
    await client.run('followed', 'push', '-q', url, 'HEAD:refs/tags/v0.9.0', 'HEAD:refs/tags/x2.0.0');
    const refused = await sourceUntil(serviceId, ({ problem }) => problem !== null);
    expect(refused.problem).toContain('0.9.0');
    const commit = await push(4);
    expect(commit).not.toBe(first);
    await client.run('followed', 'push', '-q', url, 'HEAD:refs/tags/v1.2.3');
    const source = await sourceUntil(serviceId, ({ lastCommit }) => lastCommit === commit);
    expect(source).toMatchObject({ lastVersion: '1.2.3', problem: null });
    for (;;) {
      const version = await kethub.client.getServiceVersion({ serviceId, version: '1.2.3' });
      expect(version.origin).toMatchObject({ ref: 'v1.2.3', commit });
      if (version.state === 'PUBLISHED') break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
});
