import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { open, readdir, stat, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { DataPool } from '@kethub/contract';
import { poolUser, type PoolUser } from '../../testing/data-pools.ts';
import { databases } from '../../testing/databases.ts';
import { callerOf, member, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { clearPools, layOutPools } from './mounts.ts';

/** Other work on the machine must not make a test fail. */
const PATIENT = { timeout: 60_000 };
const program = `
import os
import time
from typing import Optional

from kethub.datapool import DataPool


def run(act, pool: DataPool, other: Optional[DataPool] = None):
    globals()[act](pool.path)
    return {"found": sorted(os.listdir(pool.path))}


def write(at, name="new.txt", text="new"):
    with open(os.path.join(at, name), "w") as file:
        file.write(text)


def change(at):
    with open(at + "/kept.txt", "a") as file:
        file.write(" and more")
    os.remove(at + "/gone.txt")
    os.rename(at + "/moved.txt", at + "/there.txt")
    os.chmod(at + "/same.txt", 0)
    write(at)
    write("/var/runtime/output", "result.txt")


def wait(at):
    print("begun", flush=True)
    while not os.path.exists("/var/runtime/output/go"):
        time.sleep(0.02)


def linger(at):
    change(at)
    wait(at)


def held(at):
    write(at, "kept.txt", "held")
    wait(at)


def own(at):
    write(at, "kept.txt", str(time.time_ns()))
    wait(at)


def late(at):
    write(at, "late.txt", "late")
    wait(at)


def fail(at):
    change(at)
    raise ValueError("no")


def nothing(at):
    pass


def refused(at):
    try:
        write(at)
    except OSError:
        return
    raise ValueError("written")


def link(at):
    change(at)
    os.symlink("/etc/passwd", at + "/passwd")


def twice(at):
    write(at)
    os.link(at + "/new.txt", at + "/again.txt")


def folder(at):
    os.mkdir(at + "/folder")
    write(at + "/folder")


def name(at):
    write(at, "a\\nb")


def bytes_name(at):
    write(at.encode(), b"\\xff")


def pipe(at):
    os.mkfifo(at + "/pipe")


def deep(at):
    os.chdir(at)
    for _ in range(100):
        os.mkdir("d" * 100)
        os.chdir("d" * 100)


def closed(at):
    os.mkdir(at + "/closed")
    write(at + "/closed")
    os.chmod(at + "/closed", 0)
    os.chmod(at, 0)


def many(at):
    for number in range(1_000_000):
        os.close(os.open(f"{at}/{number}", os.O_CREAT))


def more(at):
    for number in range(1_001):
        os.close(os.open(f"{at}/{number}", os.O_CREAT))


def large(at):
    write(at, "large.bin", "x" * 300_000)


def sparse(at):
    with open(at + "/sparse.bin", "w") as file:
        file.truncate(2 * 2**30 - 1)
    with open("/var/runtime/output/one", "w") as file:
        file.write("x" * 1_000)
`;
const begin = { 'kept.txt': 'kept', 'gone.txt': 'gone', 'moved.txt': 'moved', 'same.txt': 'same' };

describe.each(databases())('data pools that executions change, on $name', (kind) => {
  let kethub: TestKethub;
  let ada: PoolUser;
  let bob: PoolUser;
  let caller: Caller;
  let applicationId: string;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    ada = await poolUser(kethub, kethub.loginSession);
    bob = await poolUser(kethub, (await kethub.signIn('bob')).loginSession);
    const deployed = await deploy(kethub.client, 'Writer', { 'src/__init__.py': '', 'src/program.py': program });
    applicationId = deployed.application.id;
    caller = await callerOf(deployed);
  });
  afterAll(() => kethub.close());

  const poolOf = async (user: PoolUser): Promise<DataPool> => {
    const pool = await user.create('written');
    for (const [name, content] of Object.entries(begin)) await user.upload(pool, name, content);
    return pool;
  };
  const lend = async (user: PoolUser, { id }: DataPool, permission = 'MODIFY') => {
    const body = { applicationId, permission };
    const made = await user.call('POST', `/qc-catalog/datapools/${id}/grants`, { body });
    return { id, ref: 'DATAPOOL', grant: member(made.body, 'token') };
  };
  interface Listed {
    readonly id: string;
    readonly name: string;
    readonly digest: string;
    readonly mediaType: string;
  }
  const listed = async (user: PoolUser, { id }: DataPool): Promise<Listed[]> =>
    (await user.call('GET', `/data-pools/${id}/files`)).body as Listed[];
  const contents = async (user: PoolUser, pool: DataPool): Promise<Record<string, string>> => {
    const files = await listed(user, pool);
    const read = async ({ name }: Listed) =>
      [name, (await user.call('GET', `/data-pools/${pool.id}/files/${encodeURIComponent(name)}`)).text] as const;
    return Object.fromEntries(await Promise.all(files.map(read)));
  };
  const causeOf = async (id: string) => (await caller.request('GET', `/${id}/result`)).body;
  const laidOut = () => readdir(path.join(kethub.dataDir, 'runtime/datapools'));
  const begun = async (id: string): Promise<void> => {
    const log = async () => (await caller.request('GET', `/${id}/log`, { headers: { accept: 'text/plain' } })).text;
    await expect.poll(log, PATIENT).toContain('begun');
  };
  const goOn = (id: string) => writeFile(path.join(kethub.dataDir, 'runtime/executions', id, 'output/go'), '');
  const endOf = async (id: string): Promise<string> => {
    const read = async () => member((await caller.request('GET', `/${id}`)).body, 'status');
    await expect.poll(read, PATIENT).not.toMatch(/PENDING|RUNNING/);
    return read();
  };
  /** Every file of the pool can be read, its row counts it, and no content is kept that nothing refers to. */
  const isWhole = async (user: PoolUser, pool: DataPool): Promise<void> => {
    const found = await contents(user, pool);
    const sizes = Object.values(found).map((one) => Buffer.byteLength(one));
    const bytes = sizes.reduce((sum, one) => sum + one, 0);
    const { database } = kethub.kethub.platform;
    const row = await database.read.selectFrom('data_pools').selectAll().where('id', '=', pool.id).executeTakeFirst();
    expect(row).toMatchObject({ files: sizes.length, bytes });
    const noted = async () => database.read.selectFrom('orphan_blobs').selectAll().execute();
    await expect.poll(noted, PATIENT).toEqual([]);
    await expect.poll(laidOut, PATIENT).toEqual([]);
    await expect.poll(() => kethub.keptByRunner(), PATIENT).toBe(0);
  };

  test('what an execution wrote, renamed and deleted is in the pool when it has succeeded', async () => {
    const pool = await poolOf(bob);
    const before = new Map((await listed(bob, pool)).map((file) => [file.name, file]));
    const { id, status } = await caller.finish({ act: 'change', pool: await lend(bob, pool) });
    expect([status, await causeOf(id)]).toEqual(['SUCCEEDED', expect.anything()]);
    expect(await contents(bob, pool)).toEqual({
      'kept.txt': 'kept and more',
      'there.txt': 'moved',
      'same.txt': 'same',
      'new.txt': 'new',
    });
    const after = new Map((await listed(bob, pool)).map((file) => [file.name, file]));
    expect(after.get('same.txt')).toEqual(before.get('same.txt'));
    expect(after.get('new.txt')?.mediaType).toBe('application/octet-stream');
    expect(after.get('kept.txt')).toMatchObject({
      id: before.get('kept.txt')?.id,
      digest: createHash('sha256').update('kept and more').digest('hex'),
      mediaType: before.get('kept.txt')?.mediaType,
    });
    await isWhole(bob, pool);
  });

  test('nothing is seen of it before the end, nor after a failure or a cancellation', async () => {
    const pool = await poolOf(bob);
    const { id } = await caller.start({ act: 'linger', pool: await lend(bob, pool) });
    await begun(id);
    expect(await contents(bob, pool)).toEqual(begin);
    await caller.request('PUT', `/${id}/cancel`);
    const failed = await caller.finish({ act: 'fail', pool: await lend(bob, pool) });
    expect([await endOf(id), failed.status]).toEqual(['CANCELLED', 'FAILED']);
    await expect.poll(laidOut, PATIENT).toEqual([]);
    expect(await contents(bob, pool)).toEqual(begin);
    await isWhole(bob, pool);
  });

  test('VIEW does not write, and neither does the owner without a grant', async () => {
    const pool = await poolOf(ada);
    for (const reference of [await lend(ada, pool, 'VIEW'), { id: pool.id, ref: 'DATAPOOL' }])
      expect(await caller.finish({ act: 'refused', pool: reference })).toMatchObject({ status: 'SUCCEEDED' });
    expect(await contents(ada, pool)).toEqual(begin);
  });

  test('a pool that holds more than an output may is not copied, and says what to do', async () => {
    const pool = await poolOf(bob);
    const { database } = kethub.kethub.platform;
    await database.write((transaction) =>
      transaction.updateTable('data_pools').set({ files: 1_001 }).where('id', '=', pool.id).execute(),
    );
    const { id, status } = await caller.finish({ act: 'nothing', pool: await lend(bob, pool) });
    expect([status, await causeOf(id)]).toEqual([
      'FAILED',
      expect.objectContaining({ detail: expect.stringContaining('Grant VIEW instead') }),
    ]);
    expect(await caller.finish({ act: 'nothing', pool: await lend(bob, pool, 'VIEW') })).toMatchObject({
      status: 'SUCCEEDED',
    });
  });

  test.each([
    ['SANDBOX', 0o711],
    ['CONTAINER', 0o700],
  ] as const)('a copy for a %s is on the disk, and can be reached by those who need it only', async (driver, mode) => {
    const pool = await poolOf(bob);
    const { platform } = kethub.kethub;
    const reader = { type: 'USER' as const, id: ada.id };
    const grantedBy = { type: 'USER' as const, id: bob.id, personId: bob.id, permission: 'MODIFY' as const };
    const referenced = { reader, pools: [{ parameter: 'pool', id: pool.id, grantedBy }] };
    const id = platform.newId();
    const own = await open(import.meta.filename);
    const sync = vi.spyOn(Object.getPrototypeOf(own) as FileHandle, 'sync');
    const synced: string[] = [];
    sync.mockImplementation(function (this: FileHandle) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
      return this.datasync();
    });
    try {
      const [mount] = await layOutPools(platform, id, referenced, driver);
      expect(mount).toMatchObject({ parameter: 'pool', writable: true });
      const laid = synced.filter((file) => file.includes(id)).map((file) => path.basename(file));
      expect(laid.toSorted()).toEqual(['0', '0.base.json', ...Object.keys(begin)].toSorted());
      expect((await stat(path.dirname(mount?.path ?? ''))).mode & 0o777).toBe(mode);
    } finally {
      sync.mockRestore();
      await own.close();
      await clearPools(platform, id);
    }
  });

  test('a pool is lent for writing once in an input', async () => {
    const pool = await lend(bob, await poolOf(bob));
    const answer = await caller.request('POST', '/', { body: JSON.stringify({ act: 'nothing', pool, other: pool }) });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('two grants of MODIFY')]);
  });

  test('of two that change the same file the second fails; what is changed beside it stays', async () => {
    const pool = await poolOf(bob);
    const first = await caller.start({ act: 'held', pool: await lend(bob, pool) });
    const other = await caller.start({ act: 'late', pool: await lend(bob, pool) });
    await begun(first.id);
    await begun(other.id);
    await bob.upload(pool, 'kept.txt', 'by hand');
    await goOn(first.id);
    await goOn(other.id);
    expect(await endOf(first.id)).toBe('FAILED');
    expect(await endOf(other.id)).toBe('SUCCEEDED');
    expect(await causeOf(first.id)).toMatchObject({
      title: 'Data pool not changed',
      detail: expect.stringMatching(/"kept.txt".*Start it again/),
    });
    expect(await contents(bob, pool)).toEqual({ ...begin, 'kept.txt': 'by hand', 'late.txt': 'late' });
    await isWhole(bob, pool);
  });

  test('of two executions that end at once and wrote the same file, one succeeds', async () => {
    const pool = await poolOf(bob);
    const both = [await lend(bob, pool), await lend(bob, pool)].map((lent) => caller.start({ act: 'own', pool: lent }));
    const ids = (await Promise.all(both)).map(({ id }) => id);
    await Promise.all(ids.map(begun));
    await Promise.all(ids.map(goOn));
    expect((await Promise.all(ids.map(endOf))).toSorted()).toEqual(['FAILED', 'SUCCEEDED']);
    expect(await contents(bob, pool)).toEqual({ ...begin, 'kept.txt': expect.stringMatching(/^\d+$/) });
    await isWhole(bob, pool);
  });

  test.each(['MEMBER', 'DELETED'])('a right that was withdrawn meanwhile changes nothing: %s', async (what) => {
    const pool = await poolOf(ada);
    const share = `/data-pools/${pool.id}/members/USER/${bob.id}`;
    await ada.call('PUT', share, { body: { role: 'MAINTAINER' } });
    const { id } = await caller.start({ act: 'held', pool: await lend(bob, pool) });
    await begun(id);
    if (what === 'MEMBER') await ada.call('PUT', share, { body: { role: 'VIEWER' } });
    else await ada.call('DELETE', `/data-pools/${pool.id}`);
    await goOn(id);
    expect(await endOf(id)).toBe('FAILED');
    expect(await causeOf(id)).toMatchObject({ detail: expect.stringContaining('may not change it any more') });
    if (what === 'MEMBER') expect(await contents(ada, pool)).toEqual(begin);
  });

  test('what does not fit into the quota of the owner of the pool is not kept', async () => {
    const cy = await poolUser(kethub, (await kethub.signIn('cy')).loginSession);
    const pool = await poolOf(cy);
    const quota = { owner_type: 'USER' as const, owner_id: cy.id, bytes: 100_000 };
    const { database } = kethub.kethub.platform;
    await database.write((transaction) => transaction.insertInto('storage_quotas').values(quota).execute());
    const { id, status } = await caller.finish({ act: 'large', pool: await lend(cy, pool) });
    expect([status, await causeOf(id)]).toEqual([
      'FAILED',
      expect.objectContaining({ detail: expect.stringMatching(/quota/) }),
    ]);
    expect(await contents(cy, pool)).toEqual(begin);
    expect(await caller.finish({ act: 'change', pool: await lend(cy, pool) })).toMatchObject({ status: 'SUCCEEDED' });
    await isWhole(cy, pool);
  });

  // The runner decides this, so one database is enough.
  const hostile =
    kind.name !== 'SQLite' ? [] : ['link', 'twice', 'folder', 'name', 'pipe', 'deep', 'closed', 'more', 'sparse'];
  test.each(hostile)('what cannot be in a data pool changes nothing and is gone: %s', async (act) => {
    const pool = await poolOf(bob);
    const { id, status } = await caller.finish({ act, pool: await lend(bob, pool) });
    expect([status, await causeOf(id)]).toEqual(['FAILED', expect.objectContaining({ title: expect.any(String) })]);
    expect(await contents(bob, pool)).toEqual(begin);
    await isWhole(bob, pool);
  });

  test('a process that dies while it keeps the changes, or after that, makes them once', async () => {
    const pool = await poolOf(bob);
    const { runtime, platform } = kethub.kethub;
    const { id } = await caller.start({ act: 'late', pool: await lend(bob, pool) });
    await begun(id);
    const { database } = platform;
    const write = database.write.bind(database);
    const forget = runtime.forget.bind(runtime);
    const faults: string[] = [];
    const hasEnded = async (queries: Pick<typeof database.read, 'selectFrom'>): Promise<boolean> =>
      (await queries.selectFrom('executions').select('status').where('id', '=', id).executeTakeFirst())?.status ===
      'SUCCEEDED';
    const failing: typeof write = async (work) => {
      const answer = await write(async (transaction) => {
        const answer = await work(transaction);
        if (faults.length > 0 || !(await hasEnded(transaction))) return answer;
        faults.push('before the commit');
        throw new Error('The database went away before the commit.');
      });
      if (faults.length !== 1 || !(await hasEnded(database.read))) return answer;
      faults.push('after the commit');
      throw new Error('The database went away after the commit.');
    };
    Object.assign(database, { write: failing });
    // The runtime reports the end once more to the next process.
    Object.assign(runtime, { forget: () => Promise.reject(new Error('The process has died.')) });
    await goOn(id);
    expect(await endOf(id)).toBe('SUCCEEDED');
    await expect.poll(() => faults, PATIENT).toEqual(['before the commit', 'after the commit']);
    expect(await contents(bob, pool)).toEqual({ ...begin, 'late.txt': 'late' });
    Object.assign(database, { write });
    await bob.upload(pool, 'late.txt', 'by hand');
    Object.assign(runtime, { forget });
    await kethub.restart();
    await expect.poll(() => kethub.keptByRunner(), PATIENT).toBe(0);
    expect(await contents(bob, pool)).toEqual({ ...begin, 'late.txt': 'by hand' });
    // The blobs of the first attempt are marked as orphans, to be swept.
    const next = kethub.kethub.platform.database;
    expect(await next.read.selectFrom('orphan_blobs').selectAll().execute()).toHaveLength(1);
    await next.write((transaction) => transaction.deleteFrom('orphan_blobs').execute());
    await isWhole(bob, pool);
  });

  test('a restart while it runs loses none of its changes', async () => {
    const pool = await poolOf(bob);
    const { id } = await caller.start({ act: 'late', pool: await lend(bob, pool) });
    await begun(id);
    await kethub.restart();
    await goOn(id);
    expect(await endOf(id)).toBe('SUCCEEDED');
    expect(await contents(bob, pool)).toEqual({ ...begin, 'late.txt': 'late' });
    await isWhole(bob, pool);
  });

  test.runIf(kind.name === 'SQLite')(
    'the guard of the output ends a program that fills a pool with files',
    async () => {
      const pool = await poolOf(bob);
      const { id, status } = await caller.finish({ act: 'many', pool: await lend(bob, pool) });
      expect([status, await causeOf(id)]).toEqual([
        'FAILED',
        expect.objectContaining({ title: 'Output limit exceeded' }),
      ]);
      expect(await contents(bob, pool)).toEqual(begin);
      await isWhole(bob, pool);
    },
  );
});
