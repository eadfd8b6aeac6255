import { readdirSync } from 'node:fs';
import path from 'node:path';
import { isBuilt, serviceForm } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import type { CallOptions } from '../../testing/gateway.ts';
import { build, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';
import { renamed, zip } from '../../testing/zip.ts';

const program = { 'src/__init__.py': '', 'src/program.py': 'def run(data=None):\n    return {"data": data}\n' };

describe.each(databases())('services of the platform interface on $name', (kind) => {
  let platform: TestKethub;
  beforeAll(async () => {
    platform = await startTestKethub(kind);
  });
  afterAll(() => platform.close());

  const api = (): string => platform.kethub.platform.addresses.api;
  const request = async (method: string, path: string, options: CallOptions = {}): Promise<Response> =>
    fetch(api() + path, {
      ...options,
      method,
      headers: { authorization: `Bearer ${platform.loginSession}`, ...options.headers },
    });
  const rowCounts = async (): Promise<number[]> => {
    const { read } = platform.kethub.platform.database;
    const tables = ['services', 'service_versions', 'builds', 'orphan_blobs'] as const;
    const rows = await Promise.all(tables.map((table) => read.selectFrom(table).selectAll().execute()));
    return [...rows.map((of) => of.length), blobs()];
  };
  const blobs = (): number =>
    readdirSync(path.join(platform.dataDir, 'blobs'), { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    ).length;

  test('upload, build with its log, publish, subscribe', async () => {
    const { client } = platform;
    const service = await client.createService({
      body: serviceForm({ name: 'Grover Süche 2', source: await zip(program) }),
    });
    expect(service).toMatchObject({
      name: 'Grover Süche 2',
      type: 'MANAGED',
      versions: [{ version: '1.0.0', state: 'DRAFT' }],
    });
    const lines: string[] = [];
    for await (const { entry } of client.followBuildLog({ serviceId: service.id, version: '1.0.0' }))
      lines.push(entry.message);
    expect(lines.join('\n')).toContain('Found run(data');
    for await (const one of client.watchBuild({ serviceId: service.id, version: '1.0.0' }))
      if (isBuilt(one)) expect(one.status).toBe('SUCCEEDED');
    const application = await client.createApplication({ json: { name: 'Caller' } });
    await expect(
      client.subscribe({ applicationId: application.id, json: { serviceId: service.id } }),
    ).rejects.toMatchObject({ status: 404 });
    const published = await client.publishServiceVersion({
      serviceId: service.id,
      version: '1.0.0',
      json: { visibility: 'INTERNAL' },
    });
    expect(published).toMatchObject({ state: 'PUBLISHED', parameters: [{ name: 'data' }] });
    const subscription = await client.subscribe({ applicationId: application.id, json: { serviceId: service.id } });
    expect(subscription.endpoint).toBe(published.endpoint);
    expect(subscription.endpoint).toMatch(/\/grover-suche-2\/1\.0\.0\/$/);
  });

  test.each([
    ['without a boundary', 'multipart/form-data', 'x'],
    [
      'without an end',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nx',
    ],
    ['whose part is none', 'multipart/form-data; boundary=b', '--b\r\nNone--b--\r\n'],
    [
      'that ends inside its file',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="source"; filename="a.zip"\r\n\r\nPK',
    ],
    ['that is empty', 'multipart/form-data; boundary=b', ''],
  ])('a form %s is refused and leaves nothing behind', async (_how, type, body) => {
    const before = await rowCounts();
    const answer = await request('POST', '/services', { headers: { 'content-type': type }, body });
    expect(await answer.json()).toMatchObject({ status: 400, type: expect.stringMatching(/\/invalid-request$/) });
    expect(await rowCounts()).toEqual(before);
  });

  test('a published version cannot be changed; the next one is a draft beside it', async () => {
    const { client } = platform;
    const { service } = await build(client, 'Versions', program);
    await client.publishServiceVersion({ serviceId: service.id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    const other = await zip({ ...program, 'README.md': 'next' });
    await expect(client.replaceSource({ serviceId: service.id, version: '1.0.0', body: other })).rejects.toMatchObject({
      code: 'version-published',
    });
    expect(await client.addServiceVersion({ serviceId: service.id, body: other })).toMatchObject({
      version: '1.1.0',
      state: 'DRAFT',
    });
    await expect(client.addServiceVersion({ serviceId: service.id, body: other })).rejects.toMatchObject({
      code: 'conflict',
    });
    const source = await request('GET', `/services/${service.id}/versions/1.1.0/source`);
    expect(Buffer.from(await source.arrayBuffer())).toEqual(Buffer.from(await other.arrayBuffer()));
  });

  test('a source stays when only the answer of the database to it was lost', async () => {
    const { database } = platform.kethub.platform;
    const { service } = await build(platform.client, 'Answer lost', program);
    const sourceOf = async (): Promise<string | undefined> => {
      const versions = database.read.selectFrom('service_versions').where('service_id', '=', service.id);
      return (await versions.select('source_blob').executeTakeFirst())?.source_blob;
    };
    const [before, write, counts] = [await sourceOf(), database.write, await rowCounts()];
    const loseAnswer: typeof write = async (work) => {
      const value = await write(work);
      if ((await sourceOf()) === before) return value;
      Object.assign(database, { write });
      throw new Error('The connection broke');
    };
    Object.assign(database, { write: loseAnswer });
    const other = await zip({ ...program, 'README.md': 'other' });
    await expect(
      platform.client.replaceSource({ serviceId: service.id, version: '1.0.0', body: other }),
    ).rejects.toMatchObject({ status: 500 });
    expect(await sourceOf()).not.toBe(before);
    const source = await request('GET', `/services/${service.id}/versions/1.0.0/source`);
    expect(Buffer.from(await source.arrayBuffer())).toEqual(Buffer.from(await other.arrayBuffer()));
    expect(await rowCounts()).toEqual(counts);
  });

  test('a change with a stale ETag is refused', async () => {
    const { service } = await build(platform.client, 'Stale', program);
    const read = await request('GET', `/services/${service.id}`);
    const change = (tag: string) =>
      request('PATCH', `/services/${service.id}`, {
        headers: { 'content-type': 'application/json', 'if-match': tag },
        body: '{"description": "new"}',
      });
    const tag = read.headers.get('etag') ?? '';
    expect((await change(tag)).status).toBe(200);
    expect((await change(tag)).status).toBe(412);
  });

  test('the same Idempotency-Key creates one service', async () => {
    const form = async (): Promise<FormData> => {
      const data = new FormData();
      data.set('name', 'Once');
      data.set('source', await zip(program), 'source.zip');
      return data;
    };
    const headers = { 'idempotency-key': 'create-once' };
    const first = await request('POST', '/services', { headers, body: await form() });
    const before = await rowCounts();
    const second = await request('POST', '/services', { headers, body: await form() });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(await second.json()).toEqual(await first.json());
    expect(await rowCounts()).toEqual(before);
  });

  test('what belongs to somebody else is not there', async () => {
    const { service } = await build(platform.client, 'Mine', program);
    const { client } = await platform.signIn('mallory');
    expect(await client.listServices()).toEqual([]);
    const source = await zip(program);
    for (const attempt of [
      () => client.getService({ serviceId: service.id }),
      () => client.getBuild({ serviceId: service.id, version: '1.0.0' }),
      () => client.publishServiceVersion({ serviceId: service.id, version: '1.0.0', json: { visibility: 'INTERNAL' } }),
      () => client.deleteService({ serviceId: service.id }),
      () => client.replaceSource({ serviceId: service.id, version: '1.0.0', body: source }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ status: 404 });
    }
  });

  test.each([
    ['no form', 415, { body: '{}', headers: { 'content-type': 'text/plain' } }],
    ['JSON for a managed service', 400, { body: '{"name":"X"}', headers: { 'content-type': 'application/json' } }],
    ['no name', 400, { form: { source: 'zip' } }],
    ['an empty name', 400, { form: { name: ' ', source: 'zip' } }],
    ['no source', 400, { form: { name: 'X' } }],
    ['a file that is no ZIP', 400, { form: { name: 'X', source: 'no zip' } }],
    ['an empty file', 400, { form: { name: 'X', source: '' } }],
    ['a character that cannot be stored', 400, { form: { name: 'X\0', source: 'zip' } }],
    ['an unknown part', 400, { form: { name: 'X', colour: 'red', source: 'zip' } }],
    ['a configuration that is no JSON', 400, { form: { name: 'X', configuration: '{', source: 'zip' } }],
    ['a memory of nothing', 400, { form: { name: 'X', configuration: '{"memoryGb": 0}', source: 'zip' } }],
  ])(
    'creating with %s is refused and leaves nothing behind',
    async (
      _what,
      status,
      { form, ...options }: { form?: Record<string, string>; body?: string; headers?: Record<string, string> },
    ) => {
      const before = await rowCounts();
      let body: FormData | string | undefined = options.body;
      if (form) {
        body = new FormData();
        for (const [name, value] of Object.entries(form)) {
          if (name === 'source') body.set(name, value === 'zip' ? await zip(program) : new Blob([value]), 'source.zip');
          else body.set(name, value);
        }
      }
      const answer = await request('POST', '/services', { ...options, ...(body !== undefined && { body }) });
      expect(answer.status).toBe(status);
      expect(await answer.json()).toMatchObject({ title: expect.any(String), detail: expect.any(String), status });
      expect(await rowCounts()).toEqual(before);
    },
  );

  const bomb = Buffer.alloc(300 * 1024 * 1024);
  test.each<[string, string, () => Promise<Blob>, RegExp]>([
    ['a truncated ZIP', 'archive-invalid', async () => (await zip(program)).slice(0, 200), /ZIP/],
    [
      'a ZIP with ../',
      'archive-unsafe',
      async () => renamed(await zip({ '__/evil.py': '' }), '__/evil.py', '../evil.py'),
      /\.\.\/evil\.py/,
    ],
    [
      'a ZIP with an absolute path',
      'archive-unsafe',
      async () => renamed(await zip({ '_etc/evil': '' }), '_etc/evil', '/etc/evil'),
      /\/etc\/evil/,
    ],
    ['a ZIP bomb', 'archive-too-large', () => zip({ ...program, bomb }), /MiB|bytes/],
    [
      'a ZIP that holds one folder',
      'archive-nested',
      () => zip({ 'project/src/program.py': '', 'project/src/__init__.py': '' }),
      /its content, not the folder/,
    ],
    [
      'a missing program.py',
      'program-missing',
      () => zip({ 'src/__init__.py': '', 'src/main.py': '' }),
      /src\/program\.py/,
    ],
    ['a missing run', 'run-missing', () => zip({ ...program, 'src/program.py': 'def main():\n    pass\n' }), /run/],
    ['a syntax error', 'program-syntax', () => zip({ ...program, 'src/program.py': 'def run(:\n' }), /line 1/],
    ['a failing import', 'import-failed', () => zip({ ...program, 'src/program.py': 'import qiskitt\n' }), /qiskitt/],
    [
      'an exception at import',
      'program-raised',
      () => zip({ ...program, 'src/program.py': 'raise ValueError("no")\n' }),
      /ValueError|no/,
    ],
    [
      'an unresolvable requirement',
      'package-not-found',
      () => zip({ ...program, 'requirements.txt': 'no-such-package-8162735==1.0\n' }),
      /no-such-package-8162735/,
    ],
    [
      'a requirement that is an option',
      'requirements-invalid',
      () => zip({ ...program, 'requirements.txt': '--index-url http://evil\n' }),
      /line 1/,
    ],
  ])('%s fails the build with %s', async (what, code, source, detail) => {
    const { client } = platform;
    const runtime = (folder: string): string[] => readdirSync(path.join(platform.dataDir, 'runtime', folder));
    const before = { sources: runtime('sources'), layers: runtime('layers') };
    const service = await client.createService({ body: serviceForm({ name: what, source: await source() }) });
    let problem: unknown;
    for await (const one of client.watchBuild({ serviceId: service.id, version: '1.0.0' })) problem = one.problem;
    expect(problem).toMatchObject({ code, title: expect.any(String), detail: expect.stringMatching(detail) });
    const log = await client.getBuildLog({ serviceId: service.id, version: '1.0.0' });
    expect(log.at(-1)?.message).toContain((problem as { title: string }).title);
    await expect(
      client.publishServiceVersion({ serviceId: service.id, version: '1.0.0', json: { visibility: 'INTERNAL' } }),
    ).rejects.toMatchObject({ code: 'build-not-succeeded' });
    expect({ sources: runtime('sources'), layers: runtime('layers') }).toEqual(before);
    expect(runtime('drafts')).toEqual([]);
    await client.deleteService({ serviceId: service.id });
  });

  test('a deleted service takes its versions, builds and source with it', async () => {
    const before = await rowCounts();
    const { service } = await build(platform.client, 'Going', probe);
    await platform.client.deleteService({ serviceId: service.id });
    expect(await rowCounts()).toEqual(before);
  });
});
