import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poolUser } from '../../testing/data-pools.ts';
import { databases } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { build, deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';

const patient = { timeout: 30_000 };

describe.each(databases())('deleting a service that others use on $name', (kind) => {
  let kethub: TestKethub;
  beforeAll(async () => {
    kethub = await startTestKethub(kind);
  });
  afterAll(() => kethub.close());

  const mails = async (): Promise<string[]> => {
    const folder = path.join(kethub.dataDir, 'outbox');
    const names = await readdir(folder).catch(() => []);
    return Promise.all(
      names.filter((name) => name.endsWith('.eml')).map((name) => readFile(path.join(folder, name), 'utf8')),
    );
  };

  test('is refused, and forced it names those who have subscribed; what was executed stays theirs', async () => {
    const { service } = await build(kethub.client, 'Shared Thing', probe);
    await kethub.client.publishServiceVersion({
      serviceId: service.id,
      version: '1.0.0',
      json: { visibility: 'INTERNAL' },
    });
    const grace = await kethub.signIn('grace');
    const hers = await poolUser(kethub, grace.loginSession);
    await kethub.client.createShare({ serviceId: service.id, json: { recipient: { type: 'USER', id: hers.id } } });
    const application = await grace.client.createApplication({ json: { name: 'Simulation' } });
    const subscription = await grace.client.subscribe({
      applicationId: application.id,
      json: { serviceId: service.id },
    });
    const [key] = application.accessKeys;
    const deployed = {
      service,
      application,
      subscription,
      endpoint: subscription.endpoint.replace(/\/$/, ''),
      accessKeyId: key?.accessKeyId ?? '',
      secretAccessKey: (
        await grace.client.revealSecretAccessKey({ applicationId: application.id, keyId: key?.id ?? '' })
      ).secretAccessKey,
    };
    const app = await callerOf(deployed);
    const params = { return: { cut: 7 }, files: { 'a.txt': 'kept' }, print: ['a line'] };
    const { id } = await app.finish({ params });
    const before = (await mails()).length;

    await expect(kethub.client.deleteService({ serviceId: service.id })).rejects.toMatchObject({
      code: 'service-in-use',
      message: expect.stringContaining('1 application of 1 owner has subscribed'),
    });
    expect((await app.request('GET', `/${id}/result`)).status).toBe(200);
    await kethub.client.deleteService({ serviceId: service.id, force: true });

    await expect.poll(async () => (await mails()).length, patient).toBe(before + 1);
    const mail = (await mails()).find((text) => text.includes(service.id)) ?? '';
    expect(mail).toContain('To: grace@example.org');
    expect(mail).toContain('Simulation');
    const log = (await hers.call('GET', '/audit-log?action=service:delete')).body as object[];
    expect(log).toMatchObject([{ resourceId: service.id, detail: { applications: ['Simulation'] } }]);
    const at = `/service-executions/${id}`;
    expect((await hers.call('GET', at)).body).toMatchObject({ status: 'SUCCEEDED' });
    expect((await hers.call('GET', `${at}/result`)).body).toMatchObject({ cut: 7 });
    expect((await hers.call('GET', `${at}/result/a.txt`)).text).toBe('kept');
    expect((await hers.call('GET', `${at}/log`, { headers: { accept: 'text/plain' } })).text).toContain('a line');
    expect((await hers.call('GET', `${at}/record`)).status).toBe(200);
    expect((await hers.call('DELETE', at)).status).toBe(204);
  });

  test('one that only the own applications use is deleted by force as well, and nobody is notified', async () => {
    const { service } = await deploy(kethub.client, 'Own', probe);
    const before = (await mails()).length;
    await expect(kethub.client.deleteService({ serviceId: service.id })).rejects.toMatchObject({
      code: 'service-in-use',
    });
    await kethub.client.deleteService({ serviceId: service.id, force: true });
    expect((await mails()).length).toBe(before);
    const { service: unused } = await build(kethub.client, 'Unused', probe);
    await kethub.client.deleteService({ serviceId: unused.id });
  });
});
