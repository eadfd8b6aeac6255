import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditEntry } from '@kethub/contract';
import { databases } from '../../testing/databases.ts';
import { callerOf, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type SignedIn, type TestKethub } from '../../testing/kethub.ts';

const files = {
  'src/__init__.py': '',
  'src/program.py': `
import os
import time

BEGIN = b'E{"type":"x","title":"t","detail":"d","deep":'


def tell(text):
    while text:
        text = text[os.write(1000, text):]
    os._exit(0)


def run(act, size=0):
    if act == "deep":
        tell(BEGIN + b"[" * 5_000 + b"]" * 5_000 + b"}")
    if act == "reserved":
        tell(b'R {"_links":1,"big":12345678901234567890,"_embedded":{},"fill":"' + b"x" * size + b'"}\\n')
    if act == "list":
        return [1, "x" * size]
    if act == "costly":
        tell(b'R[' + b"{}," * size + b"{}]")
    if act == "sleep":
        print("ready", flush=True)
        time.sleep(size)
    return {"fill": "x" * size}
`,
};

const patient = { timeout: 60_000 };

describe.each(databases())('nothing that one execution does keeps its slot, on $name', (kind) => {
  let kethub: TestKethub;
  let app: Caller;
  let administrator: SignedIn;
  beforeAll(async () => {
    // One slot: an execution that keeps it keeps all others waiting.
    const settings = { KETHUB_MAX_CONCURRENT_EXECUTIONS: '1', KETHUB_ADMINISTRATORS: 'grace' };
    kethub = await startTestKethub(kind, settings);
    app = await callerOf(await deploy(kethub.client, 'Hostile', files));
    administrator = await kethub.signIn('grace');
  });
  afterAll(() => kethub.close());

  const statusOf = async (id: string) => (await app.request('GET', `/${id}`)).body as { status: string };
  const resultOf = async (id: string) => (await app.request('GET', `/${id}/result`)).body;
  const isFree = async (): Promise<void> => {
    const { id } = await app.start({ act: 'none' });
    await expect.poll(() => statusOf(id), patient).toMatchObject({ status: 'SUCCEEDED' });
    await expect.poll(() => kethub.keptByRunner(), patient).toBe(0);
  };
  const running = async (): Promise<string> => {
    const { id } = await app.start({ act: 'sleep', size: 600 });
    const log = async () => (await app.request('GET', `/${id}/log`, { headers: { accept: 'text/plain' } })).text;
    await expect.poll(log, patient).toContain('ready');
    return id;
  };

  test('a cause too deep to be recorded ends as FAILED, in words', async () => {
    const { id, status } = await app.finish({ act: 'deep' });
    expect([status, await resultOf(id)]).toEqual(['FAILED', expect.objectContaining({ detail: expect.stringContaining('nested deeper') })]);
    await isFree();
  }); // prettier-ignore

  test.each([['in the row', 10], ['in a blob', 200_000]])('members of the platform take the place of those that a result has, and numbers keep their digits: %s', async (_where, size) => {
    const { id, status } = await app.finish({ act: 'reserved', size });
    const { text } = await app.request('GET', `/${id}/result`);
    expect(status).toBe('SUCCEEDED');
    expect(text).toMatch(/^\{"big":12345678901234567890,"fill":"x+","_links":\{"self"/);
    expect(JSON.parse(text)).toMatchObject({ _links: { self: {} }, _embedded: { status: { id } } });
    const list = await app.finish({ act: 'list', size });
    expect(await resultOf(list.id)).toMatchObject({ result: [1, 'x'.repeat(size)] });
  }); // prettier-ignore

  test('a result that is worst for parsers passes through without being parsed', async () => {
    const before = process.cpuUsage();
    const { id, status } = await app.finish({ act: 'costly', size: 4 * 2 ** 20 });
    const { user, system } = process.cpuUsage(before);
    expect(status).toBe('SUCCEEDED');
    // Hashed and stored as bytes; parsed, it takes several times as long.
    expect((user + system) / 1e6).toBeLessThan(15);
    const { result_blob } = await kethub.platform.database.read.selectFrom('executions').select('result_blob').where('id', '=', id).executeTakeFirstOrThrow(); // prettier-ignore
    const { bytes, stream } = await kethub.platform.blobs.get(result_blob ?? '');
    stream.destroy();
    expect(bytes).toBe(12 * 2 ** 20 + 4 + 12 - 1);
  });

  test('what cannot be kept is given up: the execution ends as FAILED without it', async () => {
    const { blobs } = kethub.platform;
    const put = blobs.put.bind(blobs);
    Object.assign(blobs, { put: () => Promise.reject(new RangeError('Maximum call stack size exceeded')) });
    const { id, status } = await app
      .finish({ act: 'fill', size: 200_000 })
      .finally(() => Object.assign(blobs, { put }));
    expect([status, await resultOf(id)]).toEqual(['FAILED', expect.objectContaining({ title: 'Result not kept' })]);
    const log = await app.request('GET', `/${id}/log`, { headers: { accept: 'text/plain' } });
    expect(log.text).toContain('Result not kept');
    await isFree();
  });

  test('an administrator ends one that runs, one that waits, and nobody else does', async () => {
    const id = await running();
    const waiting = await app.start({ act: 'none' });
    await expect(kethub.client.endExecution({ executionId: id })).rejects.toMatchObject({ status: 403 });
    expect(await administrator.client.endExecution({ executionId: waiting.id })).toMatchObject({ status: 'FAILED' });
    expect(await administrator.client.endExecution({ executionId: id })).toMatchObject({ id, status: 'UNKNOWN' });
    expect(await resultOf(id)).toMatchObject({ title: 'Ended by an operator' });
    await isFree();
    expect(await administrator.client.endExecution({ executionId: id })).toMatchObject({ status: 'UNKNOWN' });
    await expect(administrator.client.endExecution({ executionId: crypto.randomUUID() })).rejects.toMatchObject({
      status: 404,
    });
    for (const { loginSession } of [administrator, kethub]) {
      const headers = { authorization: `Bearer ${loginSession}` };
      const logged = await fetch(`${kethub.platform.addresses.api}/audit-log?action=execution:end&resourceId=${id}`, { headers }); // prettier-ignore
      expect(((await logged.json()) as AuditEntry[]).at(-1)).toMatchObject({ detail: { status: 'RUNNING' } });
    }
  });

  test('an execution gives its slot back also when its end cannot be recorded', async () => {
    const id = await running();
    // No end can be written here, by no user of this machine.
    mkdirSync(path.join(kethub.dataDir, 'runtime/executions', id, 'end.json.tmp'));
    expect((await app.request('PUT', `/${id}/cancel`)).status).toBe(200);
    const next = await app.start({ act: 'none' });
    expect(await administrator.client.endExecution({ executionId: id })).toMatchObject({ status: 'CANCELLED' });
    await expect.poll(() => statusOf(next.id), patient).toMatchObject({ status: 'SUCCEEDED' });
    await isFree();
  });

  test('an execution gives its slot back also when its end cannot be collected', async () => {
    const { blobs } = kethub.platform;
    const put = blobs.put.bind(blobs);
    const tried = Promise.withResolvers<void>();
    const away = (): Promise<never> => {
      tried.resolve();
      return Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
    };
    Object.assign(blobs, { put: away });
    try {
      const { id } = await app.start({ act: 'fill', size: 200_000 });
      await tried.promise;
      const next = await app.start({ act: 'none' });
      expect(await statusOf(id)).toMatchObject({ status: 'RUNNING' });
      expect(await administrator.client.endExecution({ executionId: id })).toMatchObject({ status: 'UNKNOWN' });
      await expect.poll(() => statusOf(next.id), patient).toMatchObject({ status: 'SUCCEEDED' });
    } finally {
      Object.assign(blobs, { put });
    }
    await isFree();
  });
});
