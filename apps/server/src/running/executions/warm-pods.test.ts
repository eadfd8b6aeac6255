import type { RunnerStatus } from '@kethub/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addBareVersion } from '../../testing/bare-executions.ts';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { WarmPodKeeper } from './warm-pods.ts';

describe.each(databases())('pods that wait for executions, on $name', ({ open }) => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await createTestPlatform(open);
  });
  afterAll(() => platform.close());

  test('end with their version: when it is gone, retired, or built anew', async () => {
    const versions = ['used', 'retired', 'announced', 'rebuilding', 'rebuilt'];
    for (const version of versions) await addBareVersion(platform, version);
    const set = (version: string, values: object): Promise<unknown> =>
      platform.database.write((transaction) =>
        transaction.updateTable('service_versions').set(values).where('id', '=', version).execute(),
      );
    const now = platform.now();
    for (const version of versions) await set(version, { code: '{}' });
    await set('retired', { deprecated_at: now, sunset_at: now });
    await set('announced', { deprecated_at: now, sunset_at: now + 60_000 });
    await set('rebuilding', { code: null });
    const waiting = new Set([...versions, 'gone']);
    const ended: string[] = [];
    const keeper = new WarmPodKeeper(platform, {
      status: () => Promise.resolve({ warmPods: [...waiting].map((version) => ({ version })) } as RunnerStatus),
      endWarmPods(of) {
        ended.push(...of);
        for (const version of of) waiting.delete(version);
        return Promise.resolve();
      },
    });
    await keeper.look();
    expect(ended.sort()).toEqual(['gone', 'rebuilding', 'retired']);
    await set('rebuilt', { build_id: 'another' });
    await keeper.look();
    await keeper.look();
    expect(ended.slice(3)).toEqual(['rebuilt']);
  });
});
