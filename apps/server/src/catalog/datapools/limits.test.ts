import { spawnSync } from 'node:child_process';
import { mkdir, readdir, stat } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { limits, type DataPool } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poolUser, type PoolUser } from '../../testing/data-pools.ts';
import { databases } from '../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';

/** Other work on the machine must not make a test fail. */
const PATIENT = { timeout: 40_000 };
const KB = 1024;

describe.each(databases())('limits of data pools of 1 MB on $name', (kind) => {
  let kethub: TestKethub;
  let ada: PoolUser;
  beforeAll(async () => {
    kethub = await startTestKethub(kind, { KETHUB_DATA_POOL_MB: '1' });
    ada = await poolUser(kethub, kethub.loginSession);
  });
  afterAll(() => kethub.close());

  const at = ({ id }: DataPool, name: string) => `/data-pools/${id}/files/${name}`;
  const put = (pool: DataPool, name: string, bytes: number) =>
    ada.call('PUT', at(pool, name), { body: Buffer.alloc(bytes, 1) });
  const blobs = async (): Promise<number> => {
    const folder = path.join(kethub.dataDir, 'blobs');
    return (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile()).length;
  };
  /** The bytes that the running uploads have written. */
  const arrived = async (): Promise<number> => {
    const folder = path.join(kethub.dataDir, 'blobs/tmp');
    const sizes = (await readdir(folder)).map(async (name) => (await stat(path.join(folder, name))).size);
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  };
  /** Begins an upload without Content-Length. */
  function open(pool: DataPool, name: string): { sender: http.ClientRequest; status: Promise<number | undefined> } {
    const { hostname, port, pathname } = new URL(kethub.kethub.platform.addresses.api);
    const headers = { authorization: `Bearer ${kethub.loginSession}` };
    const sender = http.request({ hostname, port, path: pathname + at(pool, name), method: 'PUT', headers });
    const status = new Promise<number | undefined>((resolve, reject) => {
      sender.once('response', (response) => resolve(response.resume().statusCode));
      sender.once('error', reject);
    });
    return { sender, status };
  }

  test('a pool takes what it has room for, counting what it replaces', async () => {
    const pool = await ada.create();
    const before = await blobs();
    expect((await put(pool, 'a', 600 * KB)).status).toBe(201);
    const refused = await put(pool, 'b', 600 * KB);
    expect(refused).toMatchObject({ status: 413, body: { detail: expect.stringContaining('614400') } });
    expect((await put(pool, 'a', 1024 * KB)).status).toBe(200);
    expect((await put(pool, 'a', 1024 * KB + 1)).status).toBe(413);
    expect((await put(pool, 'a', 10)).status).toBe(200);
    expect((await put(pool, 'b', 600 * KB)).status).toBe(201);
    expect(await blobs()).toBe(before + 2);
  });

  test('who sends without end is refused, and cut off soon after', async () => {
    const pool = await ada.create();
    const before = await blobs();
    const { sender, status } = open(pool, 'endless');
    const closed = new Promise((resolve) => sender.once('close', resolve));
    const send = (): void => {
      while (!sender.destroyed && sender.write(Buffer.alloc(64 * KB, 1)));
    };
    sender.on('drain', send);
    send();
    expect(await status).toBe(413);
    expect(await blobs()).toBe(before);
    await closed;
  });

  test('uploads that arrive together have no more room than one after the other', async () => {
    const pool = await ada.create();
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => put(pool, name, 400 * KB)));
    const stored = answers.filter(({ status }) => status === 201).length;
    expect(answers.filter(({ status }) => status === 413)).toHaveLength(4 - stored);
    expect(stored).toBeLessThanOrEqual(2);
    const { bytes } = (await ada.call('GET', `/data-pools/${pool.id}`)).body as DataPool;
    expect(bytes).toBe(stored * 400 * KB);
  });

  test('what has arrived of an upload takes room from the others before it is complete', async () => {
    const pool = await ada.create();
    const { sender, status } = open(pool, 'slow');
    sender.write(Buffer.alloc(700 * KB, 1));
    await expect.poll(arrived, PATIENT).toBe(700 * KB);
    const second = open(pool, 'fast');
    second.sender.write(Buffer.alloc(700 * KB, 1));
    expect(await second.status).toBe(413);
    sender.end();
    expect(await status).toBe(201);
    expect((await put(pool, 'fast', 300 * KB)).status).toBe(201);
  });

  test('a pool with all the files that it can have takes no other, but replaces', async () => {
    const pool = await ada.create();
    await put(pool, 'a', 1);
    await kethub.kethub.platform.database.write((transaction) =>
      transaction.updateTable('data_pools').set({ files: limits.filesOfDataPool }).where('id', '=', pool.id).execute(),
    );
    expect((await put(pool, 'b', 1)).status).toBe(409);
    expect((await put(pool, 'a', 2)).status).toBe(200);
  });

  const canMount =
    spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs none $d && umount $d && rmdir $d']).status === 0;
  test.skipIf(!canMount)('a full disk is reported as such; nothing changes, and later there is room', async () => {
    const pool = await ada.create();
    const folder = path.join(kethub.dataDir, 'blobs');
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', folder]);
    expect(mounted.status).toBe(0);
    try {
      await mkdir(path.join(folder, 'tmp'));
      const refused = await put(pool, 'a', 512 * KB);
      expect(refused).toMatchObject({ status: 507, body: { type: expect.stringMatching(/insufficient-storage$/) } });
      expect(await blobs()).toBe(0);
      expect((await ada.call('GET', `/data-pools/${pool.id}/files`)).body).toEqual([]);
      expect((await put(pool, 'a', 100 * KB)).status).toBe(201);
      expect((await ada.call('DELETE', at(pool, 'a'))).status).toBe(204);
    } finally {
      spawnSync('umount', [folder]);
    }
  });
});
