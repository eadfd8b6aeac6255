import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newestMigration } from '../../foundation/storage/index.ts';
import { databases } from '../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';

describe.each(databases())('the state of the installation on $name', (kind) => {
  let kethub: TestKethub;
  let administrator: Awaited<ReturnType<TestKethub['signIn']>>;
  beforeAll(async () => {
    kethub = await startTestKethub(kind, { KETHUB_ADMINISTRATORS: 'root' });
    administrator = await kethub.signIn('root');
  });
  afterAll(() => kethub.close());

  test('names the process, its worker, its disk and its version, to administrators alone', async () => {
    const { client } = administrator;
    await expect.poll(async () => (await client.getPlatformStatus()).processes.length, { timeout: 30_000 }).toBe(1);
    const status = await client.getPlatformStatus();
    expect(status).toMatchObject({
      database: { kind: kind.name.toUpperCase(), schema: newestMigration },
      files: 'FOLDER',
      executions: { pending: 0, running: 0 },
      builds: { pending: 0, running: 0 },
      queues: [],
      lostWorkers: [],
    });
    expect(status.executions).not.toHaveProperty('oldestPendingAt');
    expect(status.database.bytes).toBeGreaterThan(100_000);
    const [process] = status.processes;
    expect(process).toMatchObject({
      roles: ['api', 'gateway', 'worker', 'git'],
      schema: newestMigration,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      worker: { drivers: expect.arrayContaining(['SANDBOX']), running: 0, cpus: 64 },
    });
    expect(process?.disk?.freeBytes).toBeGreaterThan(0);
    expect(process?.disk?.freeBytes).toBeLessThanOrEqual(process?.disk?.bytes ?? 0);
    await expect(kethub.client.getPlatformStatus()).rejects.toMatchObject({ status: 403, code: 'not-administrator' });
  });

  test('a process that has reported nothing for two minutes is not listed, one that has ended at once', async () => {
    const { database, now } = kethub.kethub.platform;
    const gone = { host: 'gone', roles: 'gateway', version: '0.0.1', schema: '0016', started_at: 0 };
    const row = { ...gone, worker_id: null, driver: null, disk_bytes: null, disk_free_bytes: null, problem: null };
    await database.write((transaction) =>
      transaction
        .insertInto('processes')
        .values([
          { id: 'older', seen_at: now() - 121_000, ...row },
          { id: 'newer', seen_at: now() - 60_000, ...row },
        ])
        .execute(),
    );
    const listed = async () => (await administrator.client.getPlatformStatus()).processes.map(({ host }) => host);
    expect((await listed()).filter((host) => host === 'gone')).toEqual(['gone']);
    const before = (await administrator.client.getPlatformStatus()).processes.find(({ host }) => host !== 'gone')?.id;
    await kethub.restart();
    await expect
      .poll(async () => (await listed()).filter((host) => host !== 'gone').length, { timeout: 30_000 })
      .toBe(1);
    const after = (await administrator.client.getPlatformStatus()).processes.find(({ host }) => host !== 'gone')?.id;
    expect(after).not.toBe(before);
  });
});
