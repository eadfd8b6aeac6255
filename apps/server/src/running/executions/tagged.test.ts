import { createHash } from 'node:crypto';
import type { ExecutionRecord, OwnedExecution, ServiceExecution, ServiceExecutionEntry } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf, member, read, type Answered, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';
import { bpmn, deployWorkflow, start as startEvent } from '../../testing/workflows.ts';

const { chain, end, file, message, start: startElement } = bpmn;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const idsIn = ({ body }: Answered): string[] => (body as { id: string }[]).map(({ id }) => id);
const next = ({ headers }: Answered): string | null =>
  /<(.*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null;

describe.each(databases())('tags and ids of executions on $name', (kind) => {
  let kethub: TestKethub;
  let service: DeployedService;
  let app: Caller;
  let grace: Awaited<ReturnType<TestKethub['signIn']>>;
  let versionId: string;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    service = await deploy(kethub.client, 'Probe', probe);
    app = await callerOf(service);
    grace = await kethub.signIn('grace');
    const { read: queries } = kethub.kethub.platform.database;
    const version = await queries.selectFrom('service_versions').select('id').executeTakeFirstOrThrow();
    versionId = version.id;
    await kethub.client.createShare({
      serviceId: service.service.id,
      json: {
        recipient: { type: 'USER', id: (await grace.client.getMe()).id },
      },
    });
  });
  afterAll(() => kethub.close());

  const ask = async (method: string, path: string, body?: string, session = kethub.loginSession): Promise<Answered> => {
    const url = path.startsWith('http') ? path : kethub.kethub.platform.addresses.api + path;
    const headers = { authorization: `Bearer ${session}`, prefer: 'wait=60', 'content-type': 'application/json' };
    return read(await fetch(url, { method, headers, ...(body !== undefined && { body }) }));
  };
  const job = async (body: object, session?: string): Promise<ServiceExecution> => {
    const answer = await ask('POST', `/services/${service.service.id}/executions`, JSON.stringify(body), session);
    expect(answer.status).toBe(201);
    return answer.body as ServiceExecution;
  };

  test('stand in every status at the address of the service, and are not part of the input', async () => {
    const ids = {
      type: 'MANAGED',
      serviceId: service.service.id,
      serviceDefinitionId: versionId,
      applicationId: service.application.id,
    };
    const started = await app.request('POST', '/', { body: '{"$tags": ["one", "ü 2", "one"], "data": 1}' });
    expect(started.body).toMatchObject({ status: 'PENDING', ...ids, tags: ['one', 'ü 2'] });
    const id = member(started.body, 'id');
    const ended = await app.request('GET', `/${id}`, { headers: { prefer: 'wait=60' } });
    expect(ended.body).toMatchObject({ id, ...ids, tags: ['one', 'ü 2'] });
    await expect.poll(async () => (await app.request('GET', `/${id}/result`)).status, { timeout: 30_000 }).toBe(200);
    const { body: status } = await app.request('GET', `/${id}`);
    expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ data: 1, _embedded: { status } });
    expect((await app.request('PUT', `/${id}/cancel`)).body).toEqual(status);
    const [entry] = (await app.request('GET', '/?limit=1')).body as ServiceExecutionEntry[];
    const { _links: _unused, ...listed } = entry as ServiceExecutionEntry;
    expect(listed).toEqual(status);
    const record = (await ask('GET', `/service-executions/${id}/record`)).body as ExecutionRecord;
    expect(record.input?.digest).toBe(sha256('{ "data": 1}'));
    // Without tags there is no member for them.
    expect(await app.finish({ $tags: [] })).not.toHaveProperty('tags');
  });

  test('are refused with the pointer, at both addresses, and nothing is started', async () => {
    const body = '{"$tags": ["a", 7]}';
    const before = idsIn(await ask('GET', '/service-executions'));
    const answers = [
      await app.request('POST', '/', { body }),
      await ask('POST', `/services/${service.service.id}/executions`, body),
    ];
    for (const answer of answers)
      expect([answer.status, answer.body]).toMatchObject([400, { errors: [{ pointer: '/$tags/1' }] }]);
    expect(idsIn(await ask('GET', '/service-executions'))).toEqual(before);
  });

  test('narrow the lists at both addresses, whole and by pages, to what the caller may see', async () => {
    const tag = 'a&b=ü';
    const q = `tag=${encodeURIComponent(tag)}`;
    const ofApp = [await app.finish({ $tags: [tag, 'x'] }), await app.finish({ $tags: ['y', tag] })].map(({ id }) => id).toReversed(); // prettier-ignore
    await app.finish({ $tags: [`${tag}c`] });
    const own = await job({ $tags: [tag] });
    const others = await job({ $tags: [tag] }, grace.loginSession);
    expect(own).toMatchObject({ type: 'MANAGED', serviceDefinitionId: versionId, tags: [tag] });
    expect(own).not.toHaveProperty('applicationId');

    expect(idsIn(await app.request('GET', `/?${q}`))).toEqual(ofApp);
    const page = await app.request('GET', `/?${q}&limit=1`);
    expect(idsIn(page)).toEqual(ofApp.slice(0, 1));
    const following = await app.request('GET', next(page)?.slice(service.endpoint.length) ?? '');
    expect([idsIn(following), next(following)]).toEqual([ofApp.slice(1), null]);

    expect(idsIn(await ask('GET', `/service-executions?${q}`))).toEqual([own.id, ...ofApp]);
    const owned = await ask('GET', `/service-executions?${q}&serviceId=${service.service.id}&limit=2`);
    expect(idsIn(owned)).toEqual([own.id, ofApp[0]]);
    expect((owned.body as OwnedExecution[])[0]).toMatchObject({ tags: [tag], applicationId: null, type: 'MANAGED' });
    expect(idsIn(await ask('GET', next(owned) ?? ''))).toEqual([ofApp[1]]);
    expect(idsIn(await ask('GET', `/service-executions?${q}&serviceId=${versionId}`))).toEqual([]);
    expect(idsIn(await ask('GET', `/service-executions?${q}`, undefined, grace.loginSession))).toEqual([others.id]);
    expect(idsIn(await app.request('GET', '/?tag=nothing'))).toEqual([]);
    for (const wrong of ['tag=', 'tag=%00', `tag=${'x'.repeat(65)}`, 'tag=a&tag=b'])
      expect([(await app.request('GET', `/?${wrong}`)).status, (await ask('GET', `/service-executions?${wrong}`)).status]).toEqual([400, 400]); // prettier-ignore
  });

  test('are the words of the caller: the provider of the service does not see them', async () => {
    const mark = 'words-of-grace';
    const { id } = await job({ $tags: [mark] }, grace.loginSession);
    for (const path of ['executions?limit=5', `executions?tag=${mark}`, `executions/${id}/record`]) {
      const answer = await ask('GET', `/services/${service.service.id}/${path}`);
      expect([answer.status, answer.text]).toEqual([200, expect.not.stringContaining(mark)]);
    }
  });

  test('belong to the request: the same Idempotency-Key with other tags is another one', async () => {
    const start = (tag: string) => app.request('POST', '/', { body: JSON.stringify({ $tags: [tag] }), headers: { 'idempotency-key': 'tags' } }); // prettier-ignore
    const first = await start('a');
    expect((await start('a')).body).toEqual(first.body);
    expect(member((await start('b')).body, 'type')).toContain('idempotency-key-reused');
  });

  test('go with the execution', async () => {
    const { id } = await job({ $tags: ['gone'] });
    expect((await ask('DELETE', `/service-executions/${id}`)).status).toBe(204);
    expect(idsIn(await ask('GET', '/service-executions?tag=gone'))).toEqual([]);
    const { read: queries } = kethub.kethub.platform.database;
    expect(await queries.selectFrom('execution_tags').selectAll().where('tag', '=', 'gone').execute()).toEqual([]);
  });

  test('of a workflow are no variables; a message gives them to what it starts', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false };
    const parts = [startEvent(schema), startElement('told', message('begin')), end('end', { n: '=n' })];
    const xml = file([...parts, chain('start', 'end'), chain('told', 'end')], { messages: { begin: null } });
    const workflow = await deployWorkflow(kethub.client, 'Tagged', xml);
    const ended = await (await callerOf(workflow)).finish({ n: 1, $tags: ['flow'] });
    expect(ended).toMatchObject({ status: 'SUCCEEDED', type: 'WORKFLOW', serviceId: workflow.service.id, tags: ['flow'] }); // prettier-ignore
    const { started } = await kethub.client.publishWorkflowMessage({
      serviceId: workflow.service.id,
      json: {
        name: 'begin',
        variables: { n: 2, $tags: ['flow', 'told'] },
      },
    });
    expect(idsIn(await ask('GET', '/service-executions?tag=flow'))).toEqual([...started, ended.id]);
    await expect(
      kethub.client.publishWorkflowMessage({
        serviceId: workflow.service.id,
        json: { name: 'begin', variables: { n: 2, $tags: 'flow' } },
      }),
    ).rejects.toMatchObject({ status: 400 });
    const instance = await kethub.client.getWorkflowInstance({ instanceId: started[0] ?? '' });
    expect(JSON.stringify(instance.variables ?? {})).not.toContain('tags');
  });
});
