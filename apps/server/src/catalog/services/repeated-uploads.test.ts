import { isBuilt } from '@kethub/client';
import type { Service, ServiceVersion } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { bpmn } from '../../testing/workflows.ts';
import { zip } from '../../testing/zip.ts';

const good = { 'src/__init__.py': '', 'src/program.py': 'def run(data=None):\n    return {"data": data}\n' };
const broken = { 'src/__init__.py': '', 'src/program.py': 'def other():\n    pass\n' };

const { chain, end, file, start } = bpmn;
const workflow = file([start('begin'), end('end', { done: '=true' }), chain('begin', 'end')]);

describe.each(databases())('an upload that is repeated on $name', (kind) => {
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
    for await (const one of kethub.client.watchBuild({ serviceId, version })) if (isBuilt(one)) return one.status;
    throw new Error('The build was watched to its end without having one');
  }
  const versionsOf = async (id: string): Promise<string[]> =>
    (await kethub.client.getService({ serviceId: id })).versions.map(({ version, state }) => `${version} ${state}`);

  test('a first upload that could not be built is replaced under its name, and one that was built is not', async () => {
    const first = await post('/services', { name: 'Again' }, await zip(broken));
    const { id } = first.body as Service;
    expect(await built(id, '1.0.0')).toBe('FAILED');
    const second = await post('/services', { name: 'Again', description: 'mended' }, await zip(good));
    expect(second).toMatchObject({ status: 201, body: { id, description: 'mended' } });
    expect(await built(id, '1.0.0')).toBe('SUCCEEDED');
    expect(
      (
        await kethub.client.startJobOfVersion({
          serviceId: id,
          version: '1.0.0',
          json: { data: 7 },
          headers: { prefer: 'wait=60' },
        })
      ).status,
    ).toBe('SUCCEEDED');
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
    // A built draft is not lost by mistake.
    expect((await post(path, {}, await zip(good))).status).toBe(409);
    await kethub.client.publishServiceVersion({ serviceId: id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    const next = await post(path, { version: '2.0.0' }, await zip(broken));
    expect((next.body as ServiceVersion).configuration?.memoryGb).toBe(0.5);
    expect(await built(id, '2.0.0')).toBe('FAILED');
    expect((await post(path, { version: '0.9.0' }, await zip(good))).status).toBe(409);
    // The ZIP alone is accepted as well.
    await kethub.client.addServiceVersion({ serviceId: id, body: await zip(good) });
    expect(await built(id, '2.0.0')).toBe('SUCCEEDED');
    expect(await versionsOf(id)).toEqual(['2.0.0 DRAFT', '1.0.0 PUBLISHED']);
  });

  test('what does not fit the service is refused with its pointer', async () => {
    const { id } = (await post('/services', { name: 'Fitting' }, await zip(good))).body as Service;
    await built(id, '1.0.0');
    await kethub.client.publishServiceVersion({ serviceId: id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
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

  test('a first workflow with problems is replaced under its name, and one without is not', async () => {
    const { id: applicationId } = await kethub.client.createApplication({ json: { name: 'Caller' } });
    const first = await post('/services', { name: 'Mended', type: 'WORKFLOW', applicationId }, 'no workflow');
    const { id, versions } = first.body as Service;
    expect(versions).toMatchObject([{ version: '1.0.0', workflow: { problems: [{ elementId: null }] } }]);
    const again = await post('/services', { name: 'Mended', type: 'WORKFLOW', description: 'mended' }, workflow);
    expect(again).toMatchObject({
      status: 201,
      body: { id, description: 'mended', versions: [{ version: '1.0.0', workflow: { problems: [], applicationId } }] },
    });
    expect((await post('/services', { name: 'Mended', type: 'WORKFLOW' }, workflow)).status).toBe(409);
    await kethub.client.publishServiceVersion({ serviceId: id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    const path = `/services/${id}/versions`;
    expect((await post(path, { version: '1.1.0' }, 'no workflow')).status).toBe(201);
    const next = await post(path, { version: '1.2.0' }, workflow);
    expect(next).toMatchObject({ status: 201, body: { version: '1.2.0', workflow: { problems: [] } } });
    expect((await post(path, {}, workflow)).status).toBe(409);
    expect(await versionsOf(id)).toEqual(['1.2.0 DRAFT', '1.0.0 PUBLISHED']);
  });

  test('a first upload that has failed is replaced by one of another type', async () => {
    const project = await zip(good);
    const { id } = (await post('/services', { name: 'Other', type: 'WORKFLOW' }, project)).body as Service;
    const second = await post('/services', { name: 'Other' }, await zip(broken));
    expect(second).toMatchObject({ status: 201, body: { id, type: 'MANAGED' } });
    expect(await built(id, '1.0.0')).toBe('FAILED');
    const third = await post('/services', { name: 'Other', type: 'WORKFLOW' }, workflow);
    expect(third).toMatchObject({ status: 201, body: { id, type: 'WORKFLOW' } });
    const headers = { authorization: `Bearer ${kethub.loginSession}` };
    const address = `${kethub.platform.addresses.api}/services/${id}/versions/1.0.0/source`;
    expect(await (await fetch(address, { headers })).text()).toBe(workflow);
    const rows = await kethub.platform.database.read.selectFrom('services').selectAll().where('id', '=', id).execute();
    expect(rows).toMatchObject([{ stored_bytes: Buffer.byteLength(workflow) }]);
  });

  test('a workflow takes the form as well', async () => {
    const { id } = (await post('/services', { name: 'Flow', type: 'WORKFLOW' }, workflow)).body as Service;
    await kethub.client.publishServiceVersion({ serviceId: id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    const next = await post(`/services/${id}/versions`, { type: 'WORKFLOW', version: '1.1.0' }, workflow);
    expect(next).toMatchObject({ status: 201, body: { version: '1.1.0', state: 'DRAFT' } });
  });
});
