import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf, member, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';

const files = {
  'src/__init__.py': '',
  'src/program.py': `
import os
import pathlib
import sys

OUTPUT = pathlib.Path("/var/runtime/output")


def run(act):
    return globals()[act]()


def no_json():
    return {"value": b"bytes"}


def not_a_number():
    return {"value": [1.0, float("nan")]}


def flood():
    line = "x" * 1023 + "\\n"
    block = line * 1024
    for _ in range(1024):
        sys.stdout.write(block)
    return {"written": 1024 * len(block)}


def fork_bomb():
    while True:
        os.fork()


def memory_hog():
    hog = []
    while True:
        hog.append(bytearray(16 * 1024 * 1024))


def links():
    (OUTPUT / "passwd").symlink_to("/etc/passwd")
    (OUTPUT / "outside").symlink_to("../../../../../../etc/shadow")
    (OUTPUT / "real.txt").write_text("real")
    return {}
`,
};

describe.each(databases())('hostile code on $name gets a clear answer and leaves nothing behind', (kind) => {
  let platform: TestKethub;
  let app: Caller;
  beforeAll(async () => {
    platform = await startTestKethub(kind);
    app = await callerOf(await deploy(platform.client, 'Hostile', files));
  });
  afterAll(() => platform.close());

  const act = async (what: string) => {
    const { id, status } = await app.finish({ act: what });
    return { id, status, result: (await app.request('GET', `/${id}/result`)).body };
  };
  /** Nothing of it runs any more, and the runtime has forgotten it. */
  const isGone = async (id: string): Promise<void> => {
    await expect.poll(async () => (await platform.kethub.runtime.status()).running, { timeout: 30_000 }).toEqual([]);
    const folder = path.join(platform.dataDir, 'runtime', 'executions', id);
    await expect.poll(() => existsSync(folder), { timeout: 30_000 }).toBe(false);
  };

  test.each([
    ['a result that is not JSON', 'no_json', /\/value|value/],
    ['a result with NaN', 'not_a_number', /\/value\/1|NaN/],
    ['a memory hog', 'memory_hog', /memory/i],
  ])('%s', { timeout: 150_000 }, async (_what, what, detail) => {
    const { id, status, result } = await act(what);
    expect(status).toBe('FAILED');
    expect(result).toMatchObject({ title: expect.any(String), detail: expect.stringMatching(detail) });
    await isGone(id);
  });

  test('a fork bomb', { timeout: 150_000 }, async () => {
    const { id, status, result } = await act('fork_bomb');
    expect(status).toBe('FAILED');
    expect(member(result, 'detail')).not.toBe('');
    await isGone(id);
    expect((await app.finish({ act: 'links' })).status).toBe('SUCCEEDED');
  });

  test('a gigabyte of log is cut, says so, and does not fail the execution', { timeout: 150_000 }, async () => {
    const { id, status, result } = await act('flood');
    expect([status, result]).toEqual(['SUCCEEDED', expect.objectContaining({ written: 2 ** 30 })]);
    const log = await app.request('GET', `/${id}/log`, { headers: { accept: 'text/plain' } });
    expect(log.text.length).toBeLessThan(11 * 1024 * 1024);
    expect(log.text.slice(-500)).toMatch(/cut|limit/);
    await isGone(id);
  });

  test('links in the output that lead outside are no result files', async () => {
    const { id, status, result } = await act('links');
    const { _links: links } = result as { _links: Record<string, unknown> };
    expect([status, Object.keys(links).toSorted()]).toEqual(['SUCCEEDED', ['real.txt', 'self', 'status']]);
    for (const name of ['passwd', 'outside'])
      expect((await app.request('GET', `/${id}/result/${name}`)).status).toBe(404);
    await isGone(id);
  });

  test('afterwards the folder of executions is empty', async () => {
    const folder = path.join(platform.dataDir, 'runtime', 'executions');
    await expect.poll(() => readdirSync(folder), { timeout: 30_000 }).toEqual([]);
  });
});
