import type { PlatformClient } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';

const [kind] = databases();

describe('downloads by an address, and the session', () => {
  let kethub: TestKethub;
  let deployed: DeployedService;
  let executionId: string;
  let grace: { client: PlatformClient };

  beforeAll(async () => {
    if (!kind) throw new Error('This file runs on one database');
    kethub = await startTestKethub(kind);
    grace = await kethub.signIn('grace');
    deployed = await deploy(kethub.client, 'Probe', probe);
    const json = { params: { files: { 'a.svg': '<svg/>' } } };
    const started = { serviceId: deployed.service.id, json, headers: { prefer: 'wait=60' } };
    executionId = (await kethub.client.startJob(started)).id;
  });
  afterAll(() => kethub.close());

  test('a ticket opens one content without a credential, in ranges as well', async () => {
    const { href } = await kethub.client.createResultFileTicket({ executionId, file: 'a.svg' });
    expect(await (await fetch(href)).text()).toBe('<svg/>');
    const part = await fetch(href, { headers: { range: 'bytes=1-3' } });
    expect([part.status, await part.text()]).toEqual([206, 'svg']);
    expect(part.headers.get('content-security-policy')).toContain('sandbox');
    const source = await kethub.client.createSourceTicket({ serviceId: deployed.service.id, version: '1.0.0' });
    const zip = Buffer.from(await (await fetch(source.href)).arrayBuffer());
    expect(zip.subarray(0, 2).toString()).toBe('PK');
    const log = await kethub.client.createBuildLogTicket({ serviceId: deployed.service.id, version: '1.0.0' });
    const lines = await fetch(log.href);
    expect(lines.headers.get('content-disposition')).toBe('attachment; filename="build-1.0.0.log"');
    expect(await lines.text()).toContain('Found run(');
    const pool = await kethub.client.createDataPool({ json: { name: 'Graphs' } });
    await kethub.client.uploadDataPoolFile({ dataPoolId: pool.id, name: 'one.txt', body: new Blob(['1 2']) });
    const file = await kethub.client.createDataPoolFileTicket({ dataPoolId: pool.id, name: 'one.txt' });
    expect(await (await fetch(file.href)).text()).toBe('1 2');
  });

  test('a ticket is for its person, for a minute, and cannot be made up', async () => {
    const foreign = grace.client.createResultFileTicket({ executionId, file: 'a.svg' });
    await expect(foreign).rejects.toMatchObject({ code: 'execution-not-found' });
    const none = kethub.client.createResultFileTicket({ executionId, file: 'none.txt' });
    await expect(none).rejects.toMatchObject({ code: 'result-file-not-found' });
    const noLog = grace.client.createBuildLogTicket({ serviceId: deployed.service.id, version: '1.0.0' });
    await expect(noLog).rejects.toMatchObject({ code: 'not-found' });
    const { href } = await kethub.client.createResultFileTicket({ executionId, file: 'a.svg' });
    const changed = await fetch(`${href.slice(0, -3)}AAA`);
    expect(changed.status).toBe(410);
    await kethub.client.deleteOwnedExecution({ executionId });
    expect((await fetch(href)).status).toBe(404);
  });

  test('the session says who one is, what one has joined and may do', async () => {
    const { id } = await grace.client.createOrganization({ json: { name: 'Bell Labs' } });
    const session = await grace.client.getSession();
    expect(session).toMatchObject({
      person: { username: 'grace' },
      registration: { status: 'APPROVED' },
      administrator: false,
      organizations: [{ id, name: 'Bell Labs', role: 'OWNER' }],
      operations: { 'service:create': 'MAINTAINER' },
    });
  });

  test('signing out everywhere ends what renews a session', async () => {
    const { database } = kethub.kethub.platform;
    const { id } = await grace.client.getMe();
    const records = () =>
      database.read.selectFrom('oidc_records').select('model').where('account_id', '=', id).execute();
    expect(await records()).not.toEqual([]);
    await grace.client.endSessions();
    expect(await records()).toEqual([]);
  });
});
