import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { bpmn, calls, deployWorkflow, start } from '../../testing/workflows.ts';

const keeping = {
  'src/__init__.py': '',
  'src/program.py': `
from kethub.secret import SecretValue


def run(data, token: SecretValue = None):
    secret = token.unwrap()
    return {"length": len(secret), "echo": "it is " + secret}
`,
};
const { catchEvent, chain, end, file, flow, gateway, message, service } = bpmn;

describe.each(databases())('secrets that come after the start on $name', (kind) => {
  const secret = 'a-secret-of-this-test';
  let platform: TestKethub;

  beforeAll(async () => {
    platform = await startTestKethub(kind);
  });
  afterAll(() => platform.close());

  const clear = async (): Promise<string> => {
    const { read } = platform.kethub.platform.database;
    const tables = [
      'workflow_messages',
      'workflow_instances',
      'workflow_journal',
      'workflow_jobs',
      'workflow_events',
    ] as const;
    const rows = await Promise.all(tables.map((table) => read.selectFrom(table).selectAll().execute()));
    return JSON.stringify(rows);
  };

  test('a message brings them to what it starts, and to nothing that waits; they stand nowhere in clear', async () => {
    const keeper = await deploy(platform.client, 'Keeper', keeping);
    const use = {
      in: { data: '=1', $secrets: '={token: secret_value("key")}' },
      out: { length: '=length', echo: '=echo' },
    };
    const xml = file(
      [
        bpmn.start('begun', message('begin')),
        service('use', { ...use, extensions: calls(keeper.service.id) }),
        catchEvent('wait', message('more')),
        end('end', { length: '=length', echo: '=echo' }),
        chain('begun', 'use', 'wait', 'end'),
      ],
      { messages: { begin: null, more: '=key' } },
    );
    const workflow = await deployWorkflow(platform.client, 'Begun', xml, [keeper.service]);
    const app = await callerOf(workflow);
    const publish = (body: object) => app.request('POST', '/workflow-messages', { body: JSON.stringify(body) });
    const variables = { key: 'k', $secrets: { key: secret } };
    const begun = await publish({ name: 'begin', variables });
    const [id = ''] = (begun.body as { started: string[] }).started;
    const refused = await publish({ name: 'more', correlationKey: 'k', variables });
    expect([refused.status, refused.body]).toEqual([
      400,
      expect.objectContaining({ type: expect.stringContaining('invalid-secrets') as string }),
    ]);
    await expect(
      platform.client.publishWorkflowMessage({
        serviceId: workflow.service.id,
        json: { name: 'more', correlationKey: 'k', variables },
      }),
    ).rejects.toMatchObject({ status: 400 });
    const inClear = { name: 'more', correlationKey: 'k', variables: { key: secret, more: null } };
    const inClearRefused = {
      status: 400,
      message: expect.stringMatching(/"key" in clear is refused: .*Nothing was stored\..*Leave it out/) as string,
      errors: [{ pointer: '/variables/key' }],
    };
    expect(await publish(inClear)).toMatchObject({ status: 400, body: { errors: [{ pointer: '/variables/key' }] } });
    await expect(
      platform.client.publishWorkflowMessage({ serviceId: workflow.service.id, json: inClear }),
    ).rejects.toMatchObject(inClearRefused);
    await expect
      .poll(
        async () =>
          (await platform.client.getWorkflowInstance({ instanceId: id })).activities.map(({ elementId }) => elementId),
        {
          timeout: 30_000,
        },
      )
      .toEqual(['wait']);
    expect(await clear()).not.toContain(secret);
    expect((await publish({ name: 'more', correlationKey: 'k' })).status).toBe(201);
    await expect
      .poll(async () => (await app.request('GET', `/${id}/result`)).body, { timeout: 30_000 })
      .toMatchObject({ length: secret.length, echo: 'it is [redacted]' });
    expect(await clear()).not.toContain(secret);
  });

  test('a corrected variable under the name of a secret is refused', async () => {
    const keeper = await deploy(platform.client, 'Keeper of one', keeping);
    const xml = file([
      start(),
      gateway('exclusive', 'choose'),
      service('use', { in: { $secrets: '={token: secret_value("key")}' }, extensions: calls(keeper.service.id) }),
      end('end'),
      chain('start', 'choose'),
      flow('choose', 'use', '=ready'),
      chain('use', 'end'),
    ]);
    const app = await callerOf(await deployWorkflow(platform.client, 'Used', xml, [keeper.service]));
    const { id } = await app.start({ ready: false, $secrets: { key: secret } });
    const incidents = async () => (await platform.client.getWorkflowInstance({ instanceId: id })).openIncidents;
    await expect.poll(incidents, { timeout: 30_000 }).toHaveLength(1);
    const [{ incident } = { incident: 0 }] = await incidents();
    await expect(
      platform.client.retryWorkflowIncident({
        instanceId: id,
        incident,
        json: { variables: { ready: true, key: secret } },
      }),
    ).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/"key" in clear is refused: .*Start the workflow again/) as string,
      errors: [{ pointer: '/variables/key' }],
    });
    expect(await clear()).not.toContain(secret);
    await platform.client.retryWorkflowIncident({
      instanceId: id,
      incident,
      json: { variables: { ready: true, key: null } },
    });
    await expect.poll(incidents, { timeout: 30_000 }).toHaveLength(0);
  });

  test('whoever tries an incident again corrects variables, not secrets', async () => {
    const xml = file([
      start(),
      gateway('exclusive', 'choose'),
      end('end'),
      chain('start', 'choose'),
      flow('choose', 'end', '=ready'),
    ]);
    const app = await callerOf(await deployWorkflow(platform.client, 'Choice', xml));
    const { id } = await app.start({ ready: false });
    const incidents = async () => (await platform.client.getWorkflowInstance({ instanceId: id })).openIncidents;
    await expect.poll(incidents, { timeout: 30_000 }).toHaveLength(1);
    const [{ incident } = { incident: 0 }] = await incidents();
    await expect(
      platform.client.retryWorkflowIncident({
        instanceId: id,
        incident,
        json: { variables: { $secrets: { key: secret } } },
      }),
    ).rejects.toMatchObject({ status: 400 });
    expect(await clear()).not.toContain(secret);
    expect(await incidents()).toHaveLength(1);
  });
});
