import type { ServiceExecution } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poolUser, type PoolUser } from '../../testing/data-pools.ts';
import { databases } from '../../testing/databases.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { bpmn, calls, deployWorkflow, start } from '../../testing/workflows.ts';

const reading = {
  'src/__init__.py': '',
  'src/program.py': `
from kethub.datapool import DataPool


def run(pool: DataPool):
    return {"files": sorted(pool.list_files())}
`,
};
const { boundary, catchEvent, chain, end, error, file, flow, gateway, message, service } = bpmn;
const REFERENCE = '={id: id, ref: "datapool"}';

describe.each(databases())('what belongs to whoever starts a workflow on $name', (kind) => {
  let platform: TestKethub;
  let owner: PoolUser;
  let starter: PoolUser;

  beforeAll(async () => {
    platform = await startTestKethub(kind);
    owner = await poolUser(platform, platform.loginSession);
    starter = await poolUser(platform, (await platform.signIn('mallory')).loginSession);
  });
  afterAll(() => platform.close());

  /** The files that an instance sees, or why its task was refused. */
  const run = async (who: PoolUser, serviceId: string, id: string): Promise<unknown> => {
    const started = await who.call('POST', `/services/${serviceId}/executions`, {
      body: { id },
      headers: { prefer: 'wait=60' },
    });
    const { id: execution } = started.body as ServiceExecution;
    const { body } = await who.call('GET', `/service-executions/${execution}/result`);
    const { files, problem } = body as { files?: unknown; problem?: { response?: { type?: string } } };
    return files ?? problem?.response?.type?.split('/').at(-1);
  };
  const poolOf = async (who: PoolUser, name: string): Promise<string> => {
    const pool = await who.create(name);
    await who.upload(pool, `${name}.txt`, 'x');
    return pool.id;
  };
  const shared = async (name: string, task: string, services: readonly { readonly id: string }[]) => {
    const xml = file([
      start(),
      task,
      boundary('failed', 'task', error(), { extensions: '<kethub:payload variable="problem"/>' }),
      end('end', { files: '=get or else(files, null)', problem: '=get or else(problem, null)' }),
      chain('start', 'task', 'end'),
      chain('failed', 'end'),
    ]);
    const workflow = await deployWorkflow(platform.client, name, xml, services);
    await platform.client.createShare({
      serviceId: workflow.service.id,
      json: { recipient: { type: 'USER', id: starter.id } },
    });
    return workflow.service;
  };

  test('data pools that a workflow names itself are lent to nobody who starts it, nor the one that calls it', async () => {
    const reader = await deploy(platform.client, 'Reader', reading);
    const inner = await shared(
      'Reads',
      service('task', { in: { pool: REFERENCE }, out: { files: '=files' }, extensions: calls(reader.service.id) }),
      [reader.service],
    );
    const outer = await shared(
      'Has read',
      service('task', {
        in: { id: '=id' },
        out: { files: '=files', problem: '=problem' },
        extensions: calls(inner.id),
      }),
      [inner],
    );
    const [own, foreign] = [await poolOf(owner, 'own'), await poolOf(starter, 'foreign')];
    for (const { id } of [inner, outer]) {
      expect(await run(owner, id, own)).toEqual(['own.txt']);
      expect(await run(starter, id, own)).toBe('data-pool-not-readable');
      // As the owner of the application that calls the service has to be able to read it, too.
      expect(await run(starter, id, foreign)).toBe('data-pool-not-readable');
      expect(await run(owner, id, foreign)).toBe('data-pool-not-readable');
    }
    const added = await owner.call('PUT', `/data-pools/${own}/members/USER/${starter.id}`, {
      body: { role: 'VIEWER' },
    });
    expect(added.status).toBeLessThan(300);
    for (const { id } of [inner, outer]) expect(await run(starter, id, own)).toEqual(['own.txt']);
  });

  test('the owner of the workflow sees where an instance of others is, not what it holds', async () => {
    const xml = file(
      [
        start(),
        gateway('parallel', 'both'),
        catchEvent('wait', message('paid')),
        gateway('exclusive', 'compare'),
        end('end'),
        chain('start', 'both', 'wait'),
        chain('both', 'compare'),
        flow('compare', 'end', '=secret > 1'),
      ],
      { messages: { paid: '=secret' } },
    );
    const { service: workflow } = await deployWorkflow(platform.client, 'Compares', xml);
    await platform.client.createShare({
      serviceId: workflow.id,
      json: { recipient: { type: 'USER', id: starter.id } },
    });
    const instanceOf = async (who: PoolUser) => {
      const started = await who.call('POST', `/services/${workflow.id}/executions`, { body: { secret: 'only mine' } });
      const { id } = started.body as ServiceExecution;
      const read = () => platform.client.getWorkflowInstance({ instanceId: id });
      await expect.poll(async () => (await read()).openIncidents.length, { timeout: 30_000 }).toBe(1);
      return read();
    };
    expect(JSON.stringify(await instanceOf(owner))).toContain('only mine');
    const seen = await instanceOf(starter);
    expect(seen.activities.map(({ elementId }) => elementId).toSorted()).toEqual(['compare', 'wait']);
    expect(seen.openIncidents).toMatchObject([{ elementId: 'compare', error: { failedElement: 'compare' } }]);
    const listed = await owner.call('GET', `/services/${workflow.id}/workflow-incidents`);
    const groups = await owner.call('GET', '/workflow-incident-groups');
    expect(JSON.stringify([seen, listed.body, groups.body]).split('only mine')).toHaveLength(2);
    const corrected = { serviceId: workflow.id, variables: { secret: 3 } };
    expect((await owner.call('PUT', '/workflow-incidents/retry', { body: corrected })).body).toEqual({
      retried: 1,
      foreign: 1,
      isLeft: false,
    });
  });
});
