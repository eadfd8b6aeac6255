import type { ExecutionStatus, StorageUsage } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expireOnce } from '../../running/executions/expire.ts';
import { sweepOrphans } from '../../foundation/storage/index.ts';
import { poolUser, type PoolUser } from '../../testing/data-pools.ts';
import { databases } from '../../testing/databases.ts';
import { callerOf, type Answered, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';
import { bpmn, calls, deployWorkflow } from '../../testing/workflows.ts';

const KB = 1024;
/** The probe, and a service that makes a large output of a small input. */
const maker = {
  ...probe,
  'src/probe.py': probe['src/program.py'] ?? '',
  'src/program.py': `
import pathlib

from src import probe


def run(data=None, params=None):
    if "kb" not in (params or {}):
        return probe.run(data, params)
    pathlib.Path("/var/runtime/output/a.bin").write_text("y" * 1024 * params["kb"])
    print("z" * 70 * 1024)
    return {"r": "x" * 1024 * params["kb"]}
`,
};
/** Allows for a busy machine. */
const patient = { timeout: 30_000 };
const DAY_MS = 24 * 60 * 60 * 1000;

describe.each(databases())('a storage quota of 1 MB on $name', (kind) => {
  let kethub: TestKethub;
  let ada: PoolUser;
  let deployed: DeployedService;
  let app: Caller;
  beforeAll(async () => {
    kethub = await startTestKethub(kind, { KETHUB_OWNER_STORAGE_MB: '1', KETHUB_MAX_CONCURRENT_EXECUTIONS: '2' });
    ada = await poolUser(kethub, kethub.loginSession);
    deployed = await deploy(kethub.client, 'Probe', maker);
    app = await callerOf(deployed);
  });
  afterAll(() => kethub.close());

  const storage = async (): Promise<StorageUsage> => (await ada.call('GET', '/storage')).body as StorageUsage;
  const codeOf = ({ status, body }: Answered): string =>
    `${status} ${(body as { type?: string } | null)?.type?.split('/').at(-1) ?? ''}`;
  const blobsOf = async (id: string): Promise<string[]> => {
    const { read } = kethub.platform.database;
    const row = await read.selectFrom('executions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const files = await read.selectFrom('execution_files').select('blob').where('execution_id', '=', id).execute();
    return [row.result_blob, row.log_blob, ...files.map(({ blob }) => blob)].filter((blob) => blob !== null);
  };
  const expectFreed = async (blobs: readonly string[]): Promise<void> => {
    expect(blobs.length).toBeGreaterThan(0);
    await sweepOrphans(kethub.platform.database, kethub.platform.blobs, Date.now());
    for (const blob of blobs) await expect(kethub.platform.blobs.get(blob)).rejects.toMatchObject({ code: 'ENOENT' });
  };
  /** A result, a file and a log that are each too long for their row. */
  const much = (kb: number) => ({ params: { kb } });

  test('every byte is counted, shown to its owner, and given back with the deletion of the execution', async () => {
    const before = await storage();
    expect(before).toMatchObject({ quotaBytes: KB * KB, keepDays: 90, retention: { keepDays: null, services: [] } });
    expect(before.serviceBytes).toBeGreaterThan(100);
    const { id } = await app.finish(much(100));
    const during = await storage();
    expect(during.fileBytes).toBe(100 * KB);
    expect(during.resultBytes).toBeGreaterThan(100 * KB);
    expect(during.logBytes).toBeGreaterThan(70 * KB);
    expect(during.inputBytes).toBe(JSON.stringify(much(100)).length);
    const blobs = await blobsOf(id);
    expect(blobs).toHaveLength(3);
    const gone = await ada.call('DELETE', `/service-executions/${id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    await expectFreed(blobs);
    expect(await storage()).toEqual(before);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/result'],
      ['GET', '/result/a.bin'],
      ['GET', '/log'],
      ['PUT', '/cancel'],
      ['DELETE', ''],
    ] as const) {
      const throughSubscription = method === 'DELETE' ? '405 method-not-allowed' : '404 execution-not-found';
      expect(codeOf(await app.request(method, `/${id}${path}`))).toBe(throughSubscription);
      expect(codeOf(await ada.call(method, `/service-executions/${id}${path}`))).toBe('404 execution-not-found');
    }
    const [entry] = (await ada.call('GET', '/audit-log?action=execution:delete')).body as object[];
    expect(entry).toMatchObject({ resourceId: id, detail: { status: 'SUCCEEDED' } });
  });

  test('a result that does not fit ends FAILED with quota, use and remedy; what is small still runs', async () => {
    const full = await app.finish(much(300));
    expect(full.status).toBe('SUCCEEDED');
    const before = await storage();
    const { id, status } = await app.finish(much(300));
    expect(status).toBe('FAILED');
    const { body } = await app.request('GET', `/${id}/result`);
    expect(body).toMatchObject({ title: 'Storage quota exceeded', detail: expect.stringContaining(String(KB * KB)) });
    expect(Object.keys((body as { _links: object })._links)).toEqual(['self', 'status']);
    expect((await app.request('GET', `/${id}/log`, { headers: { accept: 'text/plain' } })).text).toContain('zzz');
    const after = await storage();
    expect(after.fileBytes).toBe(before.fileBytes);
    // The store has no content that nothing refers to.
    const left = kethub.platform.database.read.selectFrom('orphan_blobs').select('blob');
    await expect.poll(() => left.execute(), patient).toEqual([]);
    expect((await app.finish({ params: { return: 'small' } })).status).toBe('SUCCEEDED');
    for (const one of [full.id, id]) await ada.call('DELETE', `/service-executions/${one}`);
  });

  test('who is over the quota can neither start, nor upload, nor deploy, but read and delete', async () => {
    const pool = await ada.create();
    const put = (name: string, bytes: number) =>
      ada.call('PUT', `/data-pools/${pool.id}/files/${name}`, { body: Buffer.alloc(bytes) });
    expect((await put('a', 900 * KB)).status).toBe(201);
    expect(codeOf(await put('b', 200 * KB))).toBe('409 storage-quota-exceeded');
    // An upload without Content-Length is refused when it has arrived.
    const body = new Blob([Buffer.alloc(200 * KB)]).stream();
    expect(codeOf(await ada.call('PUT', `/data-pools/${pool.id}/files/c`, { body }))).toBe(
      '409 storage-quota-exceeded',
    );
    // A replacement counts in place of the replaced file.
    expect((await put('a', 950 * KB)).status).toBe(200);
    const input = JSON.stringify({ data: 'x'.repeat(200 * KB) });
    const refused = await app.request('POST', '/', { body: input });
    expect(codeOf(refused)).toBe('409 storage-quota-exceeded');
    expect(refused.text).toMatch(/quota is 1048576 bytes, \d+ are in use, and \d+ more are needed/);
    await expect(kethub.client.startJob({ serviceId: deployed.service.id, json: { data: input } })).rejects.toMatchObject({ code: 'storage-quota-exceeded' }); // prettier-ignore
    const large = { ...probe, 'src/data.txt': Array.from({ length: 20_000 }, () => Math.random()).join() };
    await expect(deploy(kethub.client, 'Large', large)).rejects.toMatchObject({ code: 'storage-quota-exceeded' });
    expect((await storage()).dataPoolBytes).toBe(950 * KB);
    expect((await ada.call('DELETE', `/data-pools/${pool.id}`)).status).toBe(204);
    expect((await storage()).dataPoolBytes).toBe(0);
    expect((await app.finish({ data: 'x'.repeat(200 * KB), params: { return: 1 } })).status).toBe('SUCCEEDED');
  });

  test('only what has ended can be deleted, also when it was just cancelled', async () => {
    const { id } = await app.start({ params: { sleep: 60 } });
    const statusOf = async () => ((await app.request('GET', `/${id}`)).body as { status: ExecutionStatus }).status;
    expect((await app.request('DELETE', `/${id}`)).status).toBe(405);
    await expect.poll(statusOf, patient).toBe('RUNNING');
    expect(codeOf(await ada.call('DELETE', `/service-executions/${id}`))).toBe('409 execution-not-ended');
    expect((await app.request('PUT', `/${id}/cancel`)).status).toBe(200);
    await expect.poll(async () => (await ada.call('DELETE', `/service-executions/${id}`)).status, patient).toBe(204);
    expect((await app.request('GET', `/${id}`)).status).toBe(404);
  });

  test('a workflow goes with its journal, and what its tasks have called stays until it is deleted itself', async () => {
    const { service, end, file, chain } = bpmn;
    const task = service('task', { in: { params: '={return: "x"}' }, extensions: calls(deployed.service.id) });
    const xml = file([bpmn.start('start'), task, end('end'), chain('start', 'task', 'end')]);
    const workflow = await callerOf(await deployWorkflow(kethub.client, 'Flow', xml, [deployed.service]));
    const { id, status } = await workflow.finish({});
    expect(status).toBe('SUCCEEDED');
    const { read } = kethub.platform.database;
    const ids = async (): Promise<string[]> =>
      ((await ada.call('GET', '/service-executions?limit=2')).body as { id: string }[]).map((one) => one.id);
    const child = (await ids()).find((one) => one !== id) ?? '';
    expect((await ada.call('DELETE', `/service-executions/${id}`)).status).toBe(204);
    expect(await read.selectFrom('workflow_instances').where('id', '=', id).select('id').execute()).toEqual([]);
    expect(await read.selectFrom('workflow_journal').where('instance_id', '=', id).select('seq').execute()).toEqual([]);
    expect((await ada.call('GET', `/service-executions/${child}/result`)).status).toBe(200);
    expect((await ada.call('DELETE', `/service-executions/${child}`)).status).toBe(204);
  });

  test('results go after the time that their owner has chosen, in full, and the rest stays readable', async () => {
    const old = await app.finish(much(80));
    const fresh = await app.finish({ params: { return: 'fresh' } });
    const failed = await app.finish({ params: { raise: 'reason' } });
    const blobs = await blobsOf(old.id);
    await kethub.platform.database.write(async (transaction) => {
      for (const [id, days] of [[old.id, 40], [failed.id, 40], [fresh.id, 20]] as const) // prettier-ignore
        await transaction.updateTable('executions').set({ ended_at: Date.now() - days * DAY_MS }).where('id', '=', id).execute(); // prettier-ignore
    });
    expect(await expireOnce(kethub.platform)).toBe(0);
    const before = await storage();
    expect((await ada.call('PUT', '/storage/retention', { body: { keepDays: 30 } })).status).toBe(200);
    expect(await expireOnce(kethub.platform)).toBe(2);
    expect(await expireOnce(kethub.platform)).toBe(0);
    await expectFreed(blobs);
    const after = await storage();
    expect(before.fileBytes - after.fileBytes).toBe(80 * KB);
    expect(before.logBytes - after.logBytes).toBeGreaterThan(70 * KB);
    for (const path of ['/result', '/result/a.bin', '/log'])
      expect(codeOf(await app.request('GET', `/${old.id}${path}`))).toBe('410 result-expired');
    expect((await app.request('GET', `/${failed.id}/result`)).body).toMatchObject({ detail: 'reason' });
    expect((await app.request('GET', `/${old.id}`)).body).toMatchObject({ status: 'SUCCEEDED' });
    expect((await ada.call('GET', `/service-executions/${old.id}/record`)).body).toMatchObject({ files: [{ name: 'a.bin' }] }); // prettier-ignore
    expect((await app.request('GET', `/${fresh.id}/result`)).status).toBe(200);
    const services = [{ serviceId: deployed.service.id, keepDays: 10 }];
    const chosen = await ada.call('PUT', '/storage/retention', { body: { services } });
    expect(chosen.body).toMatchObject({ retention: { keepDays: null, services } });
    expect(await expireOnce(kethub.platform)).toBe(1);
    expect(codeOf(await app.request('GET', `/${fresh.id}/result`))).toBe('410 result-expired');
    expect((await ada.call('DELETE', `/service-executions/${old.id}`)).status).toBe(204);
  });
});
