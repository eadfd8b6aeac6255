import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DataPool } from '@kethub/contract';
import { poolUser, type PoolUser } from '../testing/data-pools.ts';
import { databases } from '../testing/databases.ts';
import { callerOf, member, type Caller } from '../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../testing/kethub.ts';

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


def linger(at):
    change(at)
    print("begun", flush=True)
    time.sleep(600)


def wait(at):
    write(at, "kept.txt", "waited")
    print("begun", flush=True)
    time.sleep(3)


def late(at):
    write(at, "late.txt", "late")
    print("begun", flush=True)
    time.sleep(3)


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
    for _ in range(3_000):
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
    for number in range(1_200):
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

describe.each(databases)('data pools that executions change, on $name', (kind) => {
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
  const endOf = async (id: string): Promise<string> => {
    const read = async () => member((await caller.request('GET', `/${id}`)).body, 'status');
    await expect.poll(read, PATIENT).not.toMatch(/PENDING|RUNNING/);
    return read();
  };
  /** Every file of the pool can be read, its row counts it, and no content is kept that nothing refers to. */
  const isWhole = async (user: PoolUser, pool: DataPool): Promise<void> => {
    const held = await contents(user, pool);
    const sizes = Object.values(held).map((one) => Buffer.byteLength(one));
    const bytes = sizes.reduce((sum, one) => sum + one, 0);
    const { database } = kethub.kethub.platform;
    const row = await database.read.selectFrom('data_pools').selectAll().where('id', '=', pool.id).executeTakeFirst();
    expect(row).toMatchObject({ files: sizes.length, bytes });
    const noted = async () => database.read.selectFrom('unused_blobs').selectAll().execute();
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
    expect(after.get('kept.txt')).toMatchObject({
      id: before.get('kept.txt')?.id,
      digest: createHash('sha256').update('kept and more').digest('hex'),
      mediaType: 'application/octet-stream',
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

  test('a pool is lent for writing once in an input', async () => {
    const pool = await lend(bob, await poolOf(bob));
    const answer = await caller.request('POST', '/', { body: JSON.stringify({ act: 'nothing', pool, other: pool }) });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('two grants of MODIFY')]);
  });

  test('of two that change the same file the second fails; what is changed beside it stays', async () => {
    const pool = await poolOf(bob);
    const first = await caller.start({ act: 'wait', pool: await lend(bob, pool) });
    const other = await caller.start({ act: 'late', pool: await lend(bob, pool) });
    await begun(first.id);
    await begun(other.id);
    await bob.upload(pool, 'kept.txt', 'by hand');
    expect(await endOf(first.id)).toBe('FAILED');
    expect(await endOf(other.id)).toBe('SUCCEEDED');
    expect(await causeOf(first.id)).toMatchObject({
      title: 'Data pool not changed',
      detail: expect.stringMatching(/"kept.txt".*Start it again/),
    });
    expect(await contents(bob, pool)).toEqual({ ...begin, 'kept.txt': 'by hand', 'late.txt': 'late' });
    await isWhole(bob, pool);
  });

  test.each(['MEMBER', 'DELETED'])('a right that was withdrawn meanwhile changes nothing: %s', async (what) => {
    const pool = await poolOf(ada);
    const share = `/data-pools/${pool.id}/members/USER/${bob.id}`;
    await ada.call('PUT', share, { body: { role: 'MAINTAINER' } });
    const { id } = await caller.start({ act: 'wait', pool: await lend(bob, pool) });
    await begun(id);
    if (what === 'MEMBER') await ada.call('PUT', share, { body: { role: 'VIEWER' } });
    else await ada.call('DELETE', `/data-pools/${pool.id}`);
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

  const hostile = ['link', 'twice', 'folder', 'name', 'pipe', 'deep', 'closed', 'more', 'sparse'];
  test.each(hostile)('what cannot be in a data pool changes nothing and is gone: %s', async (act) => {
    const pool = await poolOf(bob);
    const { id, status } = await caller.finish({ act, pool: await lend(bob, pool) });
    expect([status, await causeOf(id)]).toEqual(['FAILED', expect.objectContaining({ title: expect.any(String) })]);
    expect(await contents(bob, pool)).toEqual(begin);
    await isWhole(bob, pool);
  });

  test('a process that dies when it has kept the changes leaves the next one nothing to change', async () => {
    const pool = await poolOf(bob);
    const { runtime } = kethub.kethub;
    const forget = runtime.forget.bind(runtime);
    const died = Promise.withResolvers<void>();
    Object.assign(runtime, {
      forget() {
        died.resolve();
        return new Promise(() => undefined);
      },
    });
    const { id, status } = await caller.finish({ act: 'change', pool: await lend(bob, pool) });
    expect(status).toBe('SUCCEEDED');
    await died.promise;
    const changed = await contents(bob, pool);
    await bob.upload(pool, 'kept.txt', 'by hand');
    Object.assign(runtime, { forget });
    await kethub.restart();
    await isWhole(bob, pool);
    expect(await contents(bob, pool)).toEqual({ ...changed, 'kept.txt': 'by hand' });
    expect(await endOf(id)).toBe('SUCCEEDED');
  });

  test('a restart while it runs loses none of its changes', async () => {
    const pool = await poolOf(bob);
    const { id } = await caller.start({ act: 'late', pool: await lend(bob, pool) });
    await begun(id);
    await kethub.restart();
    expect(await endOf(id)).toBe('SUCCEEDED');
    expect(await contents(bob, pool)).toEqual({ ...begin, 'late.txt': 'late' });
    await isWhole(bob, pool);
  });

  test('the guard of the output ends a program that fills a pool with files', async () => {
    const pool = await poolOf(bob);
    const { id, status } = await caller.finish({ act: 'many', pool: await lend(bob, pool) });
    expect([status, await causeOf(id)]).toEqual([
      'FAILED',
      expect.objectContaining({ title: 'Output limit exceeded' }),
    ]);
    expect(await contents(bob, pool)).toEqual(begin);
    await isWhole(bob, pool);
  });
});
