import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poolUser } from '../../testing/data-pools.ts';
import { databases } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { bpmn, deployWorkflow, start } from '../../testing/workflows.ts';

const { chain, end, file, script } = bpmn;

describe.each(databases())('warnings of workflows on $name', (kind) => {
  let platform: TestKethub;

  beforeAll(async () => {
    platform = await startTestKethub(kind);
  });
  afterAll(() => platform.close());

  test('a misspelt name is reported when it is saved, and in the log, the journal and the instance', async () => {
    const schema = { type: 'object', properties: { number: {} } };
    const xml = file([
      start(schema),
      script('double', 'doubled', '=2 * nmber'),
      end('end', { doubled: '=doubled' }),
      chain('start', 'double', 'end'),
    ]);
    const { service, ...workflow } = await deployWorkflow(platform.client, 'Misspelt', xml);
    const me = await poolUser(platform, platform.loginSession);
    const version = (await me.call('GET', `/services/${service.id}/versions/1.0.0`)).body;
    const expression = '=2 * nmber';
    const warning = {
      elementId: 'double',
      code: 'UNDEFINED_VARIABLE',
      expression,
      message: expect.stringContaining('nmber'),
    };
    expect(version).toMatchObject({ workflow: { problems: [], warnings: [warning] } });

    const app = await callerOf({ service, ...workflow });
    const { id } = await app.finish({ number: 2 });
    const seen = {
      elementId: 'double',
      code: 'NO_VARIABLE_FOUND',
      expression,
      message: expect.stringContaining('nmber'),
    };
    expect((await me.call('GET', `/workflow-instances/${id}/journal`)).body).toContainEqual(
      expect.objectContaining({ type: 'warned', ...seen }),
    );
    expect((await me.call('GET', `/workflow-instances/${id}`)).body).toMatchObject({
      warnings: expect.arrayContaining([seen]),
    });
    expect((await app.request('GET', `/${id}/log`)).text).toContain('double reads =2 * nmber');
  });
});
