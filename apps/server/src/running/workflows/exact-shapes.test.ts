import type http from 'node:http';
import { jsonTextOf } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf, member, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { deployOnPremise, localTargets, startProvider, type Provider } from '../../testing/on-premise.ts';
import { bpmn, calls, deployWorkflow, start, type DeployedWorkflow } from '../../testing/workflows.ts';

const { call, catchEvent, chain, end, file, flow, gateway, message, process, script, service } = bpmn;

/** Values as they are sent, and as they come out; Python rounds what it reads as a float, so those are not given to it. */
const SHAPES: readonly (readonly [sent: string, kept: string, python: boolean])[] = [
  ['12345678901234567890', '12345678901234567890', true],
  ['-9007199254740993', '-9007199254740993', true],
  ['123456789012345678901234567890', '123456789012345678901234567890', true],
  ['0.1', '0.1', true],
  ['0.30000000000000004', '0.30000000000000004', true],
  ['0.123456789012345678901234567890', '0.123456789012345678901234567890', false],
  ['1.0', '1', false],
  ['1', '1', true],
  ['-0', '0', false],
  ['-0.0', '0', false],
  ['1e400', '1e400', false],
  ['-1.5E-400', '-1.5E-400', false],
  ['[1,12345678901234567890,[0.1000000000000000055511151231257827]]', '', false],
  ['{"12345678901234567890":12345678901234567890,"1.0":1,"1e400":2,"-0":3,"constructor":4}', '', true],
];

/** A service elsewhere that answers what it was sent, digit for digit: `{"v":X}` is answered with `{"value":X}`. */
const bodies: string[] = [];
let last = '';
const echo: http.RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url = '' } = request;
    if (method === 'POST') {
      last = Buffer.concat(chunks).toString();
      bodies.push(last);
    }
    const answer = url.endsWith('/result')
      ? `{"value":${last.slice('{"v":'.length, -1)}}`
      : `{"id":"abc","status":"${method === 'POST' ? 'PENDING' : 'SUCCEEDED'}","createdAt":"2026-01-01 00:00:00"}`;
    response.setHeader('content-type', 'application/json').end(answer);
  });
};
const PROGRAM = 'def run(data=None):\n    return {"value": data}\n';

describe.each(databases())('every shape of number on $name', (kind) => {
  let platform: TestKethub;
  let provider: Provider;
  let workflow: DeployedWorkflow;
  let app: Caller;

  beforeAll(async () => {
    platform = await startTestKethub(kind, localTargets);
    provider = await startProvider(echo);
    const { client } = platform;
    const { service: elsewhere } = await deployOnPremise(client, 'Elsewhere', { url: `${provider.url}/` });
    const { service: python } = await deploy(client, 'Python', { 'src/__init__.py': '', 'src/program.py': PROGRAM });
    const xml = file(
      [
        start(),
        gateway('exclusive', 'ready'),
        service('there', { in: { v: '=v' }, out: { a: '=value' }, extensions: calls(elsewhere.id) }),
        gateway('exclusive', 'which', 'each'),
        service('python', { in: { data: '=a' }, out: { a: '=value' }, extensions: calls(python.id) }),
        gateway('exclusive', 'same', 'wrong'),
        end('wrong'),
        script('each', 'x', '=item', { loop: { over: '=[a, v]', as: 'item', into: 'list', collect: '=x' } }),
        call('called', 'inner', { in: { w: '=a' }, out: { c: '=w2' } }),
        catchEvent('wait', message('told'), { out: { told: '=told' } }),
        end('end', { v: '=v', a: '=a', c: '=c', list: '=list', told: '=told', sum: '=0.1 + 0.2', input: '=input' }),
        chain('start', 'ready'),
        flow('ready', 'there', '=ready = true'),
        chain('there', 'which'),
        flow('which', 'python', '=python'),
        chain('python', 'each'),
        flow('which', 'each'),
        chain('each', 'called', 'same'),
        flow('same', 'wait', '=a = v and c = v and list[1] = v and list[2] = v'),
        flow('same', 'wrong'),
        chain('wait', 'end'),
      ],
      {
        messages: { told: '=key' },
        processes: [
          process('inner', [
            bpmn.start('inner_start'),
            script('copy', 'w2', '=w'),
            end('inner_done'),
            chain('inner_start', 'copy', 'inner_done'),
          ]),
        ],
      },
    );
    workflow = await deployWorkflow(client, 'Shapes', xml, [elsewhere, python]);
    app = await callerOf(workflow);
  });
  afterAll(async () => {
    await platform.close();
    await provider.close();
  });

  test.each(SHAPES)('%s passes every way', async (sent, kept, python) => {
    const { client } = platform;
    const value = kept === '' ? sent : kept;
    const key = sent.replaceAll(/\W/g, '_');
    const jsonText = `{"input": ${sent}, "key": "${key}", "python": ${python}}`;
    const id = member((await app.request('POST', '/', { body: jsonText })).body, 'id');
    const here = { instanceId: id };
    const open = async () => (await client.getWorkflowInstance(here)).openIncidents;
    await expect.poll(async () => (await open()).length, { timeout: 30_000 }).toBe(1);
    // The value comes by a retry with corrected variables.
    const { incident = 0 } = (await open())[0] ?? {};
    await client.retryWorkflowIncident({ ...here, incident, jsonText: `{"variables":{"v":${sent},"ready":true}}` });
    const body = `{"name":"told","correlationKey":"${key}","variables":{"told":${sent}}}`;
    expect((await app.request('POST', '/workflow-messages', { body })).status).toBe(201);
    const status = async () => member((await app.request('GET', `/${id}`)).body, 'status');
    await expect.poll(status, { timeout: 60_000 }).toBe('SUCCEEDED');
    const { text } = await app.request('GET', `/${id}/result`);
    const all = `"v":${value},"a":${value},"c":${value},"list":[${value},${value}],"told":${value},"sum":0.3,"input":${value}`;
    expect(text).toContain(all);
    expect(bodies.at(-1)).toBe(`{"v":${value}}`);
    const now = jsonTextOf(await client.getWorkflowVariables(here)) ?? '';
    expect(now).toContain(`"list":[${value},${value}]`);
    const journal = await client.getWorkflowJournal({ ...here, limit: 1_000 });
    expect(jsonTextOf(journal)).toContain(`"variables":{"v":${value},"ready":true}`);
    expect(jsonTextOf(journal)).toContain(`"result":{"value":${value}}`);
    const corrected = journal.find(({ type }) => type === 'resolved')?.seq ?? 0;
    const past = jsonTextOf(await client.getWorkflowVariables({ ...here, step: corrected })) ?? '';
    expect(past).toContain(`"v":${value}`);
    expect(past).toContain(`"input":${value}`);
    expect(past).not.toContain('"list"');
  });

  test('a number that is none is refused, wherever it comes', async () => {
    for (const wrong of ['01', '1.', '.5', 'NaN', '-Infinity', '0x10', '1_000']) {
      expect((await app.request('POST', '/', { body: `{"input": ${wrong}}` })).status).toBe(400);
      const body = `{"name":"told","correlationKey":"x","variables":{"told":${wrong}}}`;
      expect((await app.request('POST', '/workflow-messages', { body })).status).toBe(400);
    }
  });
});
