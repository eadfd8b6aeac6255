import { workflowForm } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { asFile, bpmn, deployWorkflow, start } from '../../testing/workflows.ts';

const { call, chain, end, file } = bpmn;

describe.each(databases())('call activities that call a workflow of another file on $name', (kind) => {
  let platform: TestKethub;

  beforeAll(async () => {
    platform = await startTestKethub(kind);
  });
  afterAll(() => platform.close());

  const calling = (processId: string) =>
    file([
      start(),
      call('call', processId, { out: { r: '=doubled' } }),
      end('end', { r: '=r' }),
      chain('start', 'call', 'end'),
    ]);

  test('do so by its id and version, as an application that is subscribed', async () => {
    const inner = await deployWorkflow(
      platform.client,
      'Inner',
      file([start(), end('end', { doubled: '=2 * n' }), chain('start', 'end')]),
    );
    const outer = await deployWorkflow(platform.client, 'Outer', calling(`${inner.service.id}@1.0.0`), [inner.service]);
    const app = await callerOf(outer);
    const { id } = await app.finish({ n: 21 });
    expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ r: 42 });

    const name = 'Not subscribed';
    const source = asFile(calling(inner.service.id));
    const { id: application } = await platform.client.createApplication({ json: { name } });
    const { id: refused } = await platform.client.createService({
      body: workflowForm({ name, applicationId: application, source }),
    });
    await expect(
      platform.client.publishServiceVersion({ serviceId: refused, version: '1.0.0', json: { visibility: 'INTERNAL' } }),
    ).rejects.toThrow(/not subscribed/);
  });
});
