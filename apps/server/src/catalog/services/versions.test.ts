import { setTimeout as pause } from 'node:timers/promises';
import { defaultConfiguration } from '@kethub/contract';
import { stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { build, deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';
import { zip } from '../../testing/zip.ts';

const patient = { timeout: 40_000, interval: 20 };
const typed = {
  'src/__init__.py': '',
  'src/program.py': `from dataclasses import dataclass
@dataclass
class Graph:
    nodes: list[int]
def run(data: Graph, params: dict[str, float] = {}) -> dict[str, int]:
    return {"cut": len(data.nodes)}
`,
};
const tokens = {
  'src/__init__.py': '',
  'src/program.py': `import os
NAMES = ("QISKIT_IBM_TOKEN", "QISKIT_IBM_INSTANCE", "QISKIT_IBM_CHANNEL", "IONQ_API_KEY")
AT_IMPORT = {name: os.environ.get(name) for name in NAMES}
def run(data=None):
    assert AT_IMPORT == {name: os.environ.get(name) for name in NAMES}
    return AT_IMPORT
`,
};

describe.each(databases())('versions of services on $name', (kind) => {
  let kethub: TestKethub;
  beforeAll(async () => {
    kethub = await startTestKethub(kind);
  });
  afterAll(() => kethub.close());

  async function api(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    session = kethub.loginSession,
  ): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
    const raw = typeof body === 'string' || body instanceof Blob;
    const answer = await fetch(kethub.kethub.platform.addresses.api + path, {
      method,
      headers: {
        authorization: `Bearer ${session}`,
        ...(body !== undefined && !raw && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: raw ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? {} : JSON.parse(text) };
  }

  test('an API specification is derived, replaced, taken over and fixed by publication', async () => {
    const { client } = kethub;
    const { service } = await build(client, 'Specified', typed);
    const path = `/services/${service.id}/versions/1.0.0/api-specification`;
    const derived = await api('GET', path);
    expect(derived.body).toMatchObject({
      openapi: '3.1.0',
      components: { schemas: { InputData: { $defs: { Graph: { required: ['nodes'] } } }, Result: { type: 'object' } } },
    });
    expect((await api('GET', `/services/${service.id}`)).body).toMatchObject({
      versions: [{ apiSpecification: 'DERIVED' }],
    });
    const own = structuredClone(derived.body) as { openapi: string; info: { title: string } };
    own.info.title = 'Mine';
    const yaml = { 'content-type': 'application/yaml' };
    expect((await api('PUT', path, stringify(own), { ...yaml, 'if-match': '"other"' })).status).toBe(412);
    const put = await api('PUT', path, stringify(own), { ...yaml, 'if-match': derived.headers.get('etag') ?? '' });
    expect([put.status, put.body]).toMatchObject([200, { info: { title: 'Mine', version: '1.0.0' } }]);
    const fresh = await fetch(kethub.kethub.platform.addresses.api + path, {
      headers: { authorization: `Bearer ${kethub.loginSession}`, 'if-none-match': put.headers.get('etag') ?? '' },
    });
    expect(fresh.status).toBe(304);
    const refused = await api('PUT', path, { ...own, webhooks: {} });
    expect([refused.status, refused.body]).toMatchObject([422, { errors: [{ pointer: '/webhooks' }] }]);
    expect((await api('PUT', path, '', yaml)).status).toBe(400);
    expect((await api('PUT', path, `a: ${'x'.repeat(600_000)}`, yaml)).status).toBe(413);
    await client.publishServiceVersion({ serviceId: service.id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    expect((await api('PUT', path, own)).body).toMatchObject({
      status: 409,
      type: expect.stringMatching(/published$/),
    });
    expect((await api('DELETE', path)).status).toBe(409);
    await client.addServiceVersion({ serviceId: service.id, body: await zip(typed) });
    const next = `/services/${service.id}/versions/1.1.0/api-specification`;
    expect((await api('GET', next)).body).toMatchObject({ info: { title: 'Mine', version: '1.1.0' } });
    expect((await api('DELETE', next)).status).toBe(204);
    expect((await api('GET', next)).body).toMatchObject({ info: { title: 'Specified' } });
  });

  test('subscribers read the specification at the address of the service, others do not', async () => {
    const deployed = await deploy(kethub.client, 'Described', probe);
    const caller = await callerOf(deployed);
    const answer = await caller.request('GET', '/openapi.json');
    expect([answer.status, answer.body]).toMatchObject([200, { servers: [{ url: deployed.endpoint }] }]);
    expect(answer.text).toContain(`${kethub.kethub.platform.addresses.gateway}/token`);
    const { client, loginSession } = await kethub.signIn('stranger');
    const stranger = await callerOf(await deploy(client, 'Elsewhere', probe));
    const elsewhere = { headers: { authorization: `Bearer ${stranger.bearer}` } };
    expect((await caller.request('GET', '/openapi.json', elsewhere)).status).toBe(404);
    const path = `/services/${deployed.service.id}/versions/1.0.0/api-specification`;
    expect((await api('GET', path, undefined, {}, loginSession)).status).toBe(404);
  });

  test('a version is retired: announced, taken back, and ended for starts only', async () => {
    const { client } = kethub;
    const deployed = await deploy(client, 'Retiring', probe);
    const caller = await callerOf(deployed);
    const { id } = await caller.finish({ params: { return: { cut: 1 } } });
    const { serviceId, path } = {
      serviceId: deployed.service.id,
      path: `/services/${deployed.service.id}/versions/1.0.0/retirement`,
    };
    expect((await api('PUT', path, { sunset: '2999-01-01T00:00:00Z' })).body).toMatchObject({
      state: 'PUBLISHED',
      retirement: { sunset: '2999-01-01 00:00:00' },
    });
    await expect
      .poll(async () => (await caller.request('GET', `/${id}`)).headers.get('sunset'), patient)
      .toBe('Tue, 01 Jan 2999 00:00:00 GMT');
    const started = await caller.request('POST', '/', { body: '{}' });
    expect([started.status, started.headers.get('deprecation')]).toEqual([201, expect.stringMatching(/^@\d{10}$/)]);
    expect((await caller.request('GET', '/not-an-id')).headers.get('deprecation')).not.toBeNull();
    const other = await client.createApplication({ json: { name: 'Late' } });
    await expect(client.subscribe({ applicationId: other.id, json: { serviceId } })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await client.subscribe({ applicationId: deployed.application.id, json: { serviceId } })).id).toBe(
      deployed.subscription.id,
    );
    expect((await api('DELETE', path)).body).not.toHaveProperty('retirement');
    await expect.poll(async () => (await caller.request('GET', '/')).headers.get('sunset'), patient).toBeNull();

    await client.addServiceVersion({ serviceId, body: await zip(probe) });
    for await (const one of client.watchBuild({ serviceId, version: '1.1.0' })) void one;
    const { endpoint = '' } = await client.publishServiceVersion({
      serviceId,
      version: '1.1.0',
      json: { visibility: 'INTERNAL' },
    });
    const running = await caller.start({ params: { sleep: 2, return: { cut: 2 } } });
    expect((await api('PUT', path, {})).body).toMatchObject({ state: 'RETIRED' });
    await expect.poll(async () => (await caller.request('POST', '/', { body: '{}' })).status, patient).toBe(410);
    const gone = await caller.request('POST', '/', { body: '{}' });
    expect(gone.body).toMatchObject({
      type: expect.stringMatching(/version-retired$/),
      detail: expect.stringContaining(endpoint),
    });
    expect(gone.headers.get('link')).toBe(`<${endpoint}>; rel="successor-version"`);
    expect((await caller.request('GET', `/${id}/result`)).body).toMatchObject({ cut: 1 });
    const status = async () => ((await caller.request('GET', `/${running.id}`)).body as { status: string }).status;
    await expect.poll(status, patient).toBe('SUCCEEDED');
    expect((await api('DELETE', path)).status).toBe(409);
    expect((await api('PUT', path, {})).status).toBe(409);
    expect((await client.subscribe({ applicationId: other.id, json: { serviceId } })).version).toBe('1.1.0');
    const log = await api('GET', '/audit-log');
    expect(JSON.stringify(log.body)).toContain('service:retire');
  });

  test('the sunset comes by itself', async () => {
    const deployed = await deploy(kethub.client, 'Setting', probe);
    const caller = await callerOf(deployed);
    const sunset = new Date(Date.now() + 1_500).toISOString();
    await api('PUT', `/services/${deployed.service.id}/versions/1.0.0/retirement`, { sunset });
    while (Date.now() < Date.parse(sunset)) await pause(50);
    expect((await caller.request('POST', '/', { body: '{}' })).status).toBe(410);
    const version = await api('GET', `/services/${deployed.service.id}/versions/1.0.0`);
    expect(version.body).toMatchObject({ state: 'RETIRED' });
    expect(version.body).not.toHaveProperty('endpoint');
  });

  test('numbers can be chosen, and only grow', async () => {
    const { service } = await build(kethub.client, 'Numbered', probe);
    await kethub.client.publishServiceVersion({
      serviceId: service.id,
      version: '1.0.0',
      json: { visibility: 'INTERNAL' },
    });
    const add = async (version: string) =>
      api('POST', `/services/${service.id}/versions?version=${version}`, await zip(probe), {
        'content-type': 'application/zip',
      });
    expect((await add('1.0.0')).body).toMatchObject({ status: 409, errors: [{ pointer: '/version' }] });
    expect((await add('0.9.9')).status).toBe(409);
    expect((await add('01.2.3')).status).toBe(400);
    expect((await add('2.0.7')).body).toMatchObject({ version: '2.0.7', state: 'DRAFT' });
  });

  test('lists are whole or by pages, each service with its newest versions', async () => {
    const { client, loginSession } = await kethub.signIn('collector');
    const { service } = await build(client, 'Many', probe);
    const { database, newId } = kethub.kethub.platform;
    const [row] = await database.read
      .selectFrom('service_versions')
      .selectAll()
      .where('service_id', '=', service.id)
      .execute();
    if (!row) throw new Error('There is no version');
    await database.write(async (transaction) => {
      for (let number = 1; number <= 700; number++) {
        const values = { ...row, id: newId(), version: `1.${number}.0`, state: 'PUBLISHED' as const };
        await transaction.insertInto('service_versions').values(values).execute();
      }
      const { id: _id, ...one } = await transaction
        .selectFrom('services')
        .selectAll()
        .where('id', '=', service.id)
        .executeTakeFirstOrThrow();
      for (let number = 1; number <= 700; number++)
        await transaction
          .insertInto('services')
          .values({ ...one, id: newId(), slug: `many-${number}` })
          .execute();
    });
    const read = async (path: string) =>
      (await api('GET', path, undefined, {}, loginSession)).body as unknown as {
        id: string;
        version: string;
        versions: unknown[];
      }[];
    const all = await read('/services');
    expect([all.length, all.at(-1)?.versions.length]).toEqual([701, 20]);
    const page = await api('GET', '/services?limit=2', undefined, {}, loginSession);
    expect(page.headers.get('link')).toContain('rel="next"');
    const versions = await read(`/services/${service.id}/versions`);
    expect([versions.length, versions[0]?.version, versions.at(-1)?.version]).toEqual([701, '1.700.0', '1.0.0']);
  });

  test.each<[string, object]>([
    ['/environment/PATH', { environment: { PATH: '/tmp' } }],
    ['/environment/LD_PRELOAD', { environment: { LD_PRELOAD: 'x' } }],
    ['/environment/PYTHONPATH', { environment: { PYTHONPATH: 'x' } }],
    ['/environment/KETHUB_X', { environment: { KETHUB_X: 'x' } }],
    ['/environment', { environment: Object.fromEntries('ABCDE'.split('').map((name) => [name, 'x'.repeat(30_000)])) }],
    ['/environment/IONQ_API_KEY', { environment: { IONQ_API_KEY: 'x' }, providerAccessTokens: true }],
    ['/gpu/count', { gpu: { count: 0 } }],
  ])('a configuration with %s is refused with the pointer', async (pointer, configuration) => {
    const { service } = await build(kethub.client, `Refused ${kethub.kethub.platform.newId()}`, probe);
    const answer = await api('PUT', `/services/${service.id}/versions/1.0.0/configuration`, configuration);
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer }] });
  });

  test('of many who change the same at once, as they have read it, one does', async () => {
    const { client } = kethub;
    const { service } = await build(client, 'Contended', probe);
    const { id } = await client.createApplication({ json: { name: 'contended' } });
    const rush = async (method: string, path: string, bodyAs: (index: number) => object) => {
      const match = (await api('GET', path.replace('/configuration', ''))).headers.get('etag') ?? '';
      const answers = Array.from({ length: 8 }, (_none, index) =>
        api(method, path, bodyAs(index), { 'if-match': match }),
      );
      return (await Promise.all(answers)).map(({ status }) => status).toSorted((one, other) => one - other);
    };
    const once = [200, 412, 412, 412, 412, 412, 412, 412];
    const path = `/services/${service.id}`;
    expect(await rush('PATCH', path, (index) => ({ description: `as of ${index}` }))).toEqual(once);
    expect(await rush('PATCH', `/applications/${id}`, (index) => ({ name: `as of ${index}` }))).toEqual(once);
    const configured = (index: number) => ({ ...defaultConfiguration, environment: { AS_OF: String(index) } });
    expect(await rush('PUT', `${path}/versions/1.0.0/configuration`, configured)).toEqual(once);
  });

  test('what asks for a GPU stays a draft where there is none', async () => {
    const { service } = await build(kethub.client, 'With GPU', probe);
    const path = `/services/${service.id}/versions/1.0.0`;
    expect((await api('PUT', `${path}/configuration`, { gpu: { count: 1, type: 'A100' } })).status).toBe(200);
    const refused = await api('PUT', `${path}/publication`, { visibility: 'INTERNAL' });
    expect(refused.body).toMatchObject({ status: 409, errors: [{ pointer: '/configuration/gpu' }] });
  });

  test('provider access tokens reach the next execution of the services that ask for them, and nothing else', async () => {
    const { client, loginSession } = await kethub.signIn('owner');
    const put = (provider: string, body: object) =>
      api('PUT', `/provider-access-tokens/${provider}`, body, {}, loginSession);
    const key = 'ibm-key-4711-0815-secret';
    expect((await put('IBM_QUANTUM', { apiKey: key })).body).toMatchObject({
      status: 400,
      errors: [{ pointer: '/serviceIdentifier' }],
    });
    expect((await put('IONQ', { apiKey: key, serviceIdentifier: 'x' })).status).toBe(400);
    expect((await put('IONQ', { apiKey: 'two\nlines' })).status).toBe(400);
    expect((await put('ACME', { apiKey: key })).status).toBe(400);
    const created = await put('IBM_QUANTUM', { apiKey: key, serviceIdentifier: 'crn:v1:a' });
    expect([created.status, created.body]).toMatchObject([201, { hint: '…cret', serviceIdentifier: 'crn:v1:a' }]);
    const listed = await api('GET', '/provider-access-tokens', undefined, {}, loginSession);
    expect(JSON.stringify([created.body, listed.body])).not.toContain(key);
    expect((await api('GET', '/provider-access-tokens')).body).toEqual([]);

    const deployed = await deploy(client, 'Without', tokens);
    const without = await callerOf(deployed);
    const resultOf = async (caller: typeof without) => {
      const { id } = await caller.finish({});
      return (await caller.request('GET', `/${id}/result`)).body;
    };
    expect(await resultOf(without)).toMatchObject({ QISKIT_IBM_TOKEN: null });
    const { id } = deployed.service;
    await client.addServiceVersion({ serviceId: id, body: await zip(tokens) });
    for await (const one of client.watchBuild({ serviceId: id, version: '1.1.0' })) void one;
    await client.configureServiceVersion({ serviceId: id, version: '1.1.0', json: { providerAccessTokens: true } });
    await client.publishServiceVersion({ serviceId: id, version: '1.1.0', json: { visibility: 'INTERNAL' } });
    const subscription = await client.subscribe({
      applicationId: deployed.application.id,
      json: { serviceId: id, version: '1.1.0' },
    });
    const caller = await callerOf({ ...deployed, endpoint: subscription.endpoint.replace(/\/$/, '') });
    expect(await resultOf(caller)).toMatchObject({
      QISKIT_IBM_TOKEN: key,
      QISKIT_IBM_INSTANCE: 'crn:v1:a',
      QISKIT_IBM_CHANNEL: 'ibm_quantum_platform',
      IONQ_API_KEY: null,
    });
    expect((await put('IBM_QUANTUM', { apiKey: 'changed', serviceIdentifier: 'crn:v1:b' })).status).toBe(200);
    expect(await resultOf(caller)).toMatchObject({ QISKIT_IBM_TOKEN: 'changed', QISKIT_IBM_INSTANCE: 'crn:v1:b' });
    expect((await api('DELETE', '/provider-access-tokens/IBM_QUANTUM', undefined, {}, loginSession)).status).toBe(204);
    expect(await resultOf(caller)).toMatchObject({ QISKIT_IBM_TOKEN: null, QISKIT_IBM_CHANNEL: null });
    expect((await api('DELETE', '/provider-access-tokens/IBM_QUANTUM', undefined, {}, loginSession)).status).toBe(404);
    const log = await api('GET', '/audit-log', undefined, {}, loginSession);
    expect(JSON.stringify(log.body)).toContain('provider-access-token:delete');
    expect(JSON.stringify(log.body)).not.toContain(key);
  });
});
