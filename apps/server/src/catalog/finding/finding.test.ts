import type { PlatformClient } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { build, deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';

const [kind] = databases();

describe('what is found by a part of its name, and drafts', () => {
  let kethub: TestKethub;
  let deployed: DeployedService;
  let grace: { readonly client: PlatformClient };

  beforeAll(async () => {
    if (!kind) throw new Error('This file runs on one database');
    kethub = await startTestKethub(kind);
    grace = await kethub.signIn('grace');
    deployed = await deploy(kethub.client, 'Max-Cut 100%', probe);
    await kethub.client.createDataPool({ json: { name: 'Graphs for max-cut' } });
  });
  afterAll(() => kethub.close());

  test('services, applications and data pools of the context are found, signs of patterns as they are', async () => {
    const found = await kethub.client.searchEverything({ q: 'MAX-CUT' });
    const owned = found.filter(({ type }) => type !== 'APPLICATION');
    expect(owned.map(({ type, name }) => [type, name])).toEqual([
      ['SERVICE', 'Max-Cut 100%'],
      ['DATA_POOL', 'Graphs for max-cut'],
    ]);
    expect(await kethub.client.listServices({ q: '0%' })).toHaveLength(1);
    expect(await kethub.client.listServices({ q: '_' })).toEqual([]);
    expect(await kethub.client.listServices({ type: 'WORKFLOW' })).toEqual([]);
    expect(await kethub.client.listServices({ state: 'PUBLISHED' })).toHaveLength(1);
    expect(await kethub.client.listServices({ state: 'DRAFT' })).toEqual([]);
    expect(await kethub.client.listServices({ state: 'RETIRED' })).toEqual([]);
    expect(await kethub.client.listDataPools({ q: 'FOR max' })).toHaveLength(1);
    expect(await kethub.client.listDataPools({ q: '%' })).toEqual([]);
    const { name } = deployed.application;
    expect(await kethub.client.listApplications({ q: name.slice(1) })).toHaveLength(1);
    expect(await grace.client.searchEverything({ q: 'max' })).toEqual([]);
  });

  test('an organization is found by its whole name or id only', async () => {
    const { id, name } = await kethub.client.createOrganization({ json: { name: 'Bell Labs' } });
    expect(await grace.client.findOrganizations({ q: 'bell labs' })).toEqual([{ id, name }]);
    expect(await grace.client.findOrganizations({ q: id })).toEqual([{ id, name }]);
    expect(await grace.client.findOrganizations({ q: 'bell' })).toEqual([]);
  });

  test('the build of a draft is started again or cancelled, and a draft deleted beside another version', async () => {
    const { service } = await build(kethub.client, 'Draft', probe);
    const at = { serviceId: service.id, version: '1.0.0' };
    await expect(kethub.client.deleteServiceVersion(at)).rejects.toMatchObject({ code: 'conflict' });
    const { id: before } = await kethub.client.getBuild(at);
    const again = await kethub.client.restartBuild(at);
    expect(again.id).not.toBe(before);
    const cancelled = await kethub.client.cancelBuild(at);
    // The build may have been faster.
    expect(['FAILED', 'SUCCEEDED']).toContain(cancelled.status);
    const published = { serviceId: deployed.service.id, version: '1.0.0' };
    await expect(kethub.client.restartBuild(published)).rejects.toMatchObject({ code: 'version-published' });
    await expect(kethub.client.deleteServiceVersion(published)).rejects.toMatchObject({ code: 'version-published' });
    const source = await (await kethub.client.downloadSource.response(published)).blob();
    const form = new FormData();
    form.set('version', '2.0.0');
    form.set('source', source);
    await kethub.client.addServiceVersion({ serviceId: deployed.service.id, body: form });
    await kethub.client.deleteServiceVersion({ serviceId: deployed.service.id, version: '2.0.0' });
    const versions = await kethub.client.listServiceVersions({ serviceId: deployed.service.id });
    expect(versions.map(({ version }) => version)).toEqual(['1.0.0']);
  });
});
