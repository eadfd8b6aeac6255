import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { DataPool } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poolUser, type PoolUser } from '../../testing/data-pools.ts';
import { databases } from '../../testing/databases.ts';
import { callerOf, type Answered, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';

/** Other work on the machine must not make a test fail. */
const PATIENT = { timeout: 40_000 };
const UNKNOWN = '01a1fd32-d765-71ab-ba39-25ede922012b';
const program = `
import os
import time
from typing import Optional

from kethub.datapool import DataPool


def run(data=None, graphs: Optional[DataPool] = None, other: Optional[DataPool] = None):
    act = (data or {}).get("act", "read")
    return globals()[act](graphs, other)


def read(graphs, other):
    contents = {name: graphs.open(name).read() for name in graphs.list_files()}
    return {"path": graphs.path, "files": contents, "other": other and list(other.list_files())}


def attack(graphs, other):
    found = {}
    file = graphs.path + "/a.txt"
    for name, act in {
        "write": lambda: open(file, "w"),
        "append": lambda: open(file, "a"),
        "create": lambda: open(graphs.path + "/new.txt", "x"),
        "remove": lambda: os.remove(file),
        "rename": lambda: os.rename(file, graphs.path + "/b.txt"),
        "mode": lambda: os.chmod(file, 0o777),
        "link": lambda: os.link(file, "/tmp/link"),
        "symlink": lambda: os.symlink("/etc/passwd", graphs.path + "/passwd"),
        "outside": lambda: graphs.open("../../../../etc/passwd"),
        "neighbours": lambda: os.listdir(graphs.path + "/../../../../executions"),
    }.items():
        try:
            act()
            found[name] = "done"
        except (OSError, ValueError) as error:
            found[name] = "refused"
    return {"found": found, "pools": os.listdir("/var/runtime/datapool"), "content": graphs.open("a.txt").read()}


def linger(graphs, other):
    print("begun", flush=True)
    time.sleep(2)
    return read(graphs, other)
`;

describe.each(databases())('data pools in the input of an execution on $name', (kind) => {
  let kethub: TestKethub;
  let ada: PoolUser;
  let eve: PoolUser;
  let caller: Caller;
  let serviceId: string;
  let pool: DataPool;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    ada = await poolUser(kethub, kethub.loginSession);
    eve = await poolUser(kethub, (await kethub.signIn('eve')).loginSession);
    const deployed = await deploy(kethub.client, 'Graphs', { 'src/__init__.py': '', 'src/program.py': program });
    serviceId = deployed.service.id;
    caller = await callerOf(deployed);
    pool = await ada.create('graphs');
    await ada.upload(pool, 'a.txt', '0 1\n');
    await ada.upload(pool, 'Zwölf – 12.txt', 'twelve');
  });
  afterAll(() => kethub.close());

  const reference = ({ id }: Pick<DataPool, 'id'>, ref = 'DATAPOOL') => ({ id, ref });
  const laidOut = () => readdir(path.join(kethub.dataDir, 'runtime/datapools'));
  const result = async (input: unknown): Promise<unknown> => {
    const { id } = await caller.finish(input);
    const { _links, _embedded, ...rest } = (await caller.request('GET', `/${id}/result`)).body as Record<
      string,
      unknown
    >;
    return rest;
  };
  const start = (input: unknown): Promise<Answered> => caller.request('POST', '/', { body: JSON.stringify(input) });

  test.each(['DATAPOOL', 'datapool'])('ref %s: the service lists and reads the files', async (ref) => {
    expect(await result({ graphs: reference(pool, ref) })).toEqual({
      path: '/var/runtime/datapool/graphs',
      files: { 'a.txt': '0 1\n', 'Zwölf – 12.txt': 'twelve' },
      other: null,
    });
    await expect.poll(laidOut, PATIENT).toEqual([]);
  });

  test('a job that a person starts reads what that person may read', async () => {
    const job = (graphs: object) =>
      ada.call('POST', `/services/${serviceId}/executions`, { body: { graphs }, headers: { prefer: 'wait=60' } });
    const { id } = (await job(reference(pool))).body as { id: string };
    expect((await ada.call('GET', `/service-executions/${id}/result`)).body).toMatchObject({
      files: { 'a.txt': '0 1\n' },
    });
    const foreign = await eve.create();
    expect((await job(reference(foreign))).status).toBe(403);
  });

  test('two pools in one execution, one of them empty; without a reference there is none', async () => {
    const empty = await ada.create('empty');
    expect(await result({ graphs: reference(pool), other: reference(empty) })).toMatchObject({ other: [] });
    expect(await result({ graphs: reference(pool), other: null })).toMatchObject({ other: null });
  });

  test('code can change nothing of a pool and sees no other', async () => {
    const changes = ['write', 'append', 'create', 'remove', 'rename', 'mode', 'link', 'symlink'];
    const acts = [...changes, 'outside', 'neighbours'];
    expect(await result({ data: { act: 'attack' }, graphs: reference(pool) })).toEqual({
      found: Object.fromEntries(acts.map((act) => [act, 'refused'])),
      pools: ['graphs'],
      content: '0 1\n',
    });
    expect((await ada.call('GET', `/data-pools/${pool.id}/files/a.txt`)).text).toBe('0 1\n');
  });

  test.each([
    ['a text', 'graphs.csv', '/graphs'],
    ['a list', [], '/graphs'],
    ['another ref', { id: UNKNOWN, ref: 'POOL' }, '/graphs/ref'],
    ['no ref', { id: UNKNOWN }, '/graphs/ref'],
    ['no id', { ref: 'DATAPOOL' }, '/graphs/id'],
    ['an id that is no UUID', { id: '../../etc', ref: 'DATAPOOL' }, '/graphs/id'],
    ['a grant that is none', { id: UNKNOWN, ref: 'DATAPOOL', grant: 'x'.repeat(3_000) }, '/graphs/grant'],
  ])('%s where a data pool belongs is refused with the pointer', async (_what, graphs, pointer) => {
    const answer = await start({ graphs });
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.objectContaining({ errors: [{ pointer, detail: expect.any(String) }] }),
    ]);
  });

  test.each([
    ['a grant', { id: UNKNOWN, ref: 'DATAPOOL', grant: 'x'.repeat(60_000) }, 60_073],
    ['a list', Array(30_000).fill(0), 60_001],
  ])('%s that is too long for a reference is refused with its length', async (_what, graphs, bytes) => {
    const detail = `is too long: a reference has at most 4096 bytes with its grant, and this value has ${bytes}`;
    const answer = await start({ graphs });
    expect(answer.body).toMatchObject({
      status: 400,
      detail: expect.stringContaining(`, but /graphs ${detail}.`),
      errors: [{ pointer: '/graphs', detail }],
    });
  });

  test('a pool of somebody else and one that is not there look the same', async () => {
    const foreign = await eve.create('secret');
    const [there, nowhere] = [
      await start({ graphs: reference(foreign) }),
      await start({ graphs: { ...reference(pool), id: UNKNOWN } }),
    ];
    expect([there.status, nowhere.status]).toEqual([403, 403]);
    expect(there.text.replaceAll(foreign.id, UNKNOWN)).toBe(nowhere.text);
    expect(there.body).toMatchObject({
      type: expect.stringMatching(/data-pool-not-readable$/),
      errors: [{ pointer: '/graphs/id' }],
    });
  });

  test('a pool that is shared can be read, until it is not shared any more', async () => {
    const shared = await eve.create('shared');
    await eve.upload(shared, 'eve.txt', 'of eve');
    const member = `/data-pools/${shared.id}/members/USER/${ada.id}`;
    expect((await start({ graphs: reference(shared) })).status).toBe(403);
    expect((await eve.call('PUT', member, { body: { role: 'VIEWER' } })).status).toBe(201);
    expect(await result({ graphs: reference(shared) })).toMatchObject({ files: { 'eve.txt': 'of eve' } });
    expect((await eve.call('DELETE', member)).status).toBe(204);
    expect((await start({ graphs: reference(shared) })).status).toBe(403);
  });

  test('what was accepted and is not readable when it begins fails and says so', async () => {
    const { database } = kethub.kethub.platform;
    const gone = await ada.create('gone');
    const { id } = await caller.finish({ graphs: reference(gone) });
    expect((await ada.call('DELETE', `/data-pools/${gone.id}`)).status).toBe(204);
    // A copy of the execution, in its state before it is claimed.
    const again = kethub.kethub.platform.newId();
    const row = await database.read.selectFrom('executions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const waits = { status: 'PENDING', input: '{}', started_at: null, ended_at: null, worker_id: null } as const;
    const noOutcome = { result: null, result_blob: null, log: null, log_blob: null };
    await database.write((transaction) =>
      transaction
        .insertInto('executions')
        .values({ ...row, ...waits, ...noOutcome, id: again })
        .execute(),
    );
    await expect
      .poll(async () => (await caller.request('GET', `/${again}`)).body, PATIENT)
      .toMatchObject({
        status: 'FAILED',
      });
    expect((await caller.request('GET', `/${again}/result`)).body).toMatchObject({
      title: 'Could not be started',
      detail: expect.stringContaining(gone.id),
    });
    await expect.poll(laidOut, PATIENT).toEqual([]);
  });

  const begun = async (id: string): Promise<void> => {
    const log = async () => (await caller.request('GET', `/${id}/log`, { headers: { accept: 'text/plain' } })).text;
    await expect.poll(log, PATIENT).toContain('begun');
  };

  test('an execution that runs keeps what it was given when the pool is changed and deleted', async () => {
    const passing = await ada.create('passing');
    await ada.upload(passing, 'kept.txt', 'kept');
    const { id } = await caller.start({ data: { act: 'linger' }, graphs: reference(passing) });
    await begun(id);
    await ada.upload(passing, 'kept.txt', 'changed');
    await ada.upload(passing, 'late.txt', 'late');
    expect((await ada.call('DELETE', `/data-pools/${passing.id}`)).status).toBe(204);
    await caller.request('GET', `/${id}`, { headers: { prefer: 'wait=60' } });
    await expect
      .poll(async () => (await caller.request('GET', `/${id}/result`)).body, PATIENT)
      .toMatchObject({ files: { 'kept.txt': 'kept' } });
    await expect.poll(laidOut, PATIENT).toEqual([]);
  });

  test('a restart of the platform takes nothing from an execution that runs, and clears the rest', async () => {
    const { id } = await caller.start({ data: { act: 'linger' }, graphs: reference(pool) });
    await begun(id);
    const { platform } = kethub.kethub;
    for (const left of [UNKNOWN, `draft-${UNKNOWN}`])
      await mkdir(path.join(platform.configuration.dataDir, 'runtime/datapools', left, '0'), { recursive: true });
    await kethub.restart();
    expect(await laidOut()).not.toContain(UNKNOWN);
    await expect
      .poll(async () => (await caller.request('GET', `/${id}/result`)).body, PATIENT)
      .toMatchObject({ files: { 'a.txt': '0 1\n' } });
    await expect.poll(laidOut, PATIENT).toEqual([]);
  });
});
