import { isBuilt } from '@kethub/client';
import type { Service, ServiceVersion } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { bpmn } from '../../testing/workflows.ts';
import { zip } from '../../testing/zip.ts';

const good = { 'src/__init__.py': '', 'src/program.py': 'def run(data=None):\n    return {"data": data}\n' };
const broken = { 'src/__init__.py': '', 'src/program.py': 'def other():\n    pass\n' };

describe.each(databases)('an upload that is repeated on $name', (kind) => {
  let kethub: TestKethub;
  beforeAll(async () => {
    kethub = await startTestKethub(kind);
  });
  afterAll(() => kethub.close());

  async function post(path: string, parts: Readonly<Record<string, string>>, source: Blob | string) {
    const body = new FormData();
    for (const [name, value] of Object.entries(parts)) body.append(name, value);
    body.append('source', typeof source === 'string' ? new Blob([source]) : source, 'source');
    const headers = { authorization: `Bearer ${kethub.loginSession}` };
    const answer = await fetch(kethub.platform.addresses.api + path, { method: 'POST', headers, body });
    return { status: answer.status, body: await answer.json() };
  }
  async function built(serviceId: string, version: string): Promise<string> {
    for await (const one of kethub.client.watchBuild(serviceId, version)) if (isBuilt(one)) return one.status;
    throw new Error('The build was watched to its end without having one');
  }
  const versionsOf = async (id: string): Promise<string[]> =>
    (await kethub.client.service(id)).versions.map(({ version, state }) => `${version} ${state}`);

  test('a first upload that could not be built is replaced under its name, and one that was built is not', async () => {
    const first = await post('/services', { name: 'Again' }, await zip(broken));
    const { id } = first.body as Service;
    expect(await built(id, '1.0.0')).toBe('FAILED');
    const second = await post('/services', { name: 'Again', description: 'mended' }, await zip(good));
    expect(second).toMatchObject({ status: 201, body: { id, description: 'mended' } });
    expect(await built(id, '1.0.0')).toBe('SUCCEEDED');
    expect((await kethub.client.startJob(id, '1.0.0', { data: 7 }, { wait: 60 })).status).toBe('SUCCEEDED');
    expect((await post('/services', { name: 'Again' }, await zip(good))).status).toBe(409);
    expect(await versionsOf(id)).toEqual(['1.0.0 DRAFT']);
  });

  test('a version takes the form of a service, and replaces a draft that could not be built', async () => {
    const { id } = (await post('/services', { name: 'Formed' }, await zip(broken))).body as Service;
    const path = `/services/${id}/versions`;
    expect(await built(id, '1.0.0')).toBe('FAILED');
    const configuration = JSON.stringify({ memoryGb: 0.5 });
    const replaced = await post(path, { name: 'Formed', description: 'x', configuration }, await zip(good));
    expect(replaced).toMatchObject({ status: 201, body: { version: '1.0.0', configuration: { memoryGb: 0.5 } } });
    expect(await built(id, '1.0.0')).toBe('SUCCEEDED');
    // What is built is work that nobody loses by mistake.
    expect((await post(path, {}, await zip(good))).status).toBe(409);
    await kethub.client.publish(id, '1.0.0');
    const next = await post(path, { version: '2.0.0' }, await zip(broken));
    expect((next.body as ServiceVersion).configuration?.memoryGb).toBe(0.5);
    expect(await built(id, '2.0.0')).toBe('FAILED');
    expect((await post(path, { version: '0.9.0' }, await zip(good))).status).toBe(409);
    // The ZIP alone as well, as it always was.
    await kethub.client.createVersion(id, await zip(good));
    expect(await built(id, '2.0.0')).toBe('SUCCEEDED');
    expect(await versionsOf(id)).toEqual(['2.0.0 DRAFT', '1.0.0 PUBLISHED']);
  });

  test('what does not fit the service is refused with its place', async () => {
    const { id } = (await post('/services', { name: 'Fitting' }, await zip(good))).body as Service;
    await built(id, '1.0.0');
    await kethub.client.publish(id, '1.0.0');
    for (const [name, value] of [
      ['name', 'Another'],
      ['type', 'WORKFLOW'],
      ['applicationId', id],
      ['more', 'x'],
      ['version', '1'],
    ] as const) {
      const refused = await post(`/services/${id}/versions`, { [name]: value }, await zip(good));
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: `/${name}` }] } });
    }
    expect(await versionsOf(id)).toEqual(['1.0.0 PUBLISHED']);
  });

  test('a workflow takes the form as well', async () => {
    const { chain, end, file, start } = bpmn;
    const xml = file([start('begin'), end('end', { done: '=true' }), chain('begin', 'end')]);
    const { id } = (await post('/services', { name: 'Flow', type: 'WORKFLOW' }, xml)).body as Service;
    await kethub.client.publish(id, '1.0.0');
    const next = await post(`/services/${id}/versions`, { type: 'WORKFLOW', version: '1.1.0' }, xml);
    expect(next).toMatchObject({ status: 201, body: { version: '1.1.0', state: 'DRAFT' } });
  });
});
