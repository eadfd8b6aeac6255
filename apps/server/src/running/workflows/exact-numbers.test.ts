import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poolUser } from '../../testing/data-pools.ts';
import { databases } from '../../testing/databases.ts';
import { callerOf, member } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { bpmn, calls, deployWorkflow, start } from '../../testing/workflows.ts';

const { catchEvent, chain, end, file, message, service } = bpmn;
const program = `
def run(data=None):
    if data == "fail":
        raise ValueError("no luck")
    return {"value": data, "type": type(data).__name__}
`;
const large = '12345678901234567890';

describe.each(databases())('numbers of workflow services on $name', (kind) => {
  let platform: TestKethub;
  let worker: DeployedService;

  beforeAll(async () => {
    platform = await startTestKethub(kind);
    worker = await deploy(platform.client, 'Echo', { 'src/__init__.py': '', 'src/program.py': program });
  });
  afterAll(() => platform.close());

  test('pass unchanged: input, tasks, results of services, messages, what operators see, results', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const xml = file(
      [
        start(schema),
        service('task', {
          in: { data: '=n' },
          out: { n: '=value', type: '=type' },
          extensions: calls(worker.service.id),
        }),
        catchEvent('wait', message('told'), { out: { told: '=told' } }),
        end('end', { n: '=n', type: '=type', list: '=list', told: '=told', next: '=n + 1' }),
        chain('start', 'task', 'wait', 'end'),
      ],
      { messages: { told: '=n' } },
    );
    const workflow = await deployWorkflow(platform.client, 'Exact', xml, [worker.service]);
    const app = await callerOf(workflow);
    const list = `[0.1000000000000000055511151231257827,1e400,1.0,-0.0]`;
    const started = await app.request('POST', '/', { body: `{"n": ${large}, "list": ${list}}` });
    const id = member(started.body, 'id');
    const reach = async () => {
      const about = { name: 'told', correlationKey: large };
      const body = `${JSON.stringify(about).slice(0, -1)}, "variables": {"told": ${large}}}`;
      return (await app.request('POST', '/workflow-messages', { body })).status;
    };
    expect(await reach()).toBe(201);
    await expect
      .poll(async () => member((await app.request('GET', `/${id}`)).body, 'status'), { timeout: 30_000 })
      .toBe('SUCCEEDED');
    const { text } = await app.request('GET', `/${id}/result`);
    expect(text).toContain(
      `"n":${large},"type":"int","list":[0.1000000000000000055511151231257827,1e400,1,0],"told":${large},"next":12345678901234567891`,
    );
    const me = await poolUser(platform, platform.loginSession);
    const journal = (await me.call('GET', `/workflow-instances/${id}/journal`)).text;
    expect(journal.split(large)).toHaveLength(4);
  });

  test('pass unchanged where a value is so large that it is read in slices', async () => {
    const xml = file([
      start(),
      service('task', { in: { data: '=list' }, out: { list: '=value' }, extensions: calls(worker.service.id) }),
      end('end', { last: '=list[-1]', list: '=list' }),
      chain('start', 'task', 'end'),
    ]);
    const app = await callerOf(await deployWorkflow(platform.client, 'Large', xml, [worker.service]));
    const integers = Array.from({ length: 20_000 }, (_, index) => `${1 + index}2345678901234567891`);
    const list = `[${integers.join(',')},${large}]`;
    const started = await app.request('POST', '/', { body: `{"list":${list}}`, headers: { prefer: 'wait=60' } });
    const { text } = await app.request('GET', `/${member(started.body, 'id')}/result`);
    expect(text.startsWith(`{"last":${large},"list":${list}`)).toBe(true);
  });

  test('pass unchanged where an operator corrects them, and are shown so', async () => {
    const xml = file([
      start(),
      service('task', { in: { data: '=n' }, out: { n: '=value' }, extensions: calls(worker.service.id) }),
      end('end', { n: '=n' }),
      chain('start', 'task', 'end'),
    ]);
    const workflow = await deployWorkflow(platform.client, 'Corrected', xml, [worker.service]);
    const app = await callerOf(workflow);
    const { id } = await app.finish({ n: 'fail' });
    const me = await poolUser(platform, platform.loginSession);
    const { text } = await me.call('GET', `/workflow-instances/${id}`);
    const incident = Number(/"incident":(\d+)/.exec(text)?.[1]);
    const body = Buffer.from(`{"variables": {"data": ${large}, "other": 0.10000000000000001}}`);
    const headers = { 'content-type': 'application/json' };
    const retried = await me.call('PUT', `/workflow-instances/${id}/incidents/${incident}/retry`, { body, headers });
    expect([retried.status, retried.text]).toEqual([202, expect.any(String)]);
    await expect
      .poll(async () => (await app.request('GET', `/${id}/result`)).text, { timeout: 30_000 })
      .toContain(`"n":${large}`);
    expect((await me.call('GET', `/workflow-instances/${id}/journal`)).text).toContain('"other":0.10000000000000001');
  });
});
