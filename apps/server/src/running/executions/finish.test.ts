import { readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Runtime } from '@kethub/runtime';
import type { Platform } from '../../foundation/platform.ts';
import { databases } from '../../testing/databases.ts';
import { callerOf, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';
import { finishExecution } from './finish.ts';
import { readResult } from './result.ts';

const long = 'x'.repeat(100_000);
/** Milliseconds for what happens soon, on any machine. */
const patient = { timeout: 30_000 };

describe.each(databases())('what becomes of what an execution had, on $name', (kind) => {
  let kethub: TestKethub;
  let app: Caller;
  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    app = await callerOf(await deploy(kethub.client, 'Probe', probe));
  });
  afterAll(() => kethub.close());

  const rowOf = (id: string) =>
    kethub.platform.database.read.selectFrom('executions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const noted = async (): Promise<string[]> =>
    (await kethub.platform.database.read.selectFrom('orphan_blobs').select('blob').execute()).map(({ blob }) => blob);
  const stored = (): string[] => {
    const folder = path.join(kethub.dataDir, 'blobs');
    return readdirSync(folder).flatMap((name) => (name === 'tmp' ? [] : readdirSync(path.join(folder, name))));
  };

  test('a process that dies while it collects an end leaves nothing but what the next one keeps', async () => {
    const { platform, runtime } = kethub.kethub;
    const readLog = runtime.readLog.bind(runtime);
    const died = Promise.withResolvers<void>();
    // It never gets an answer of the database, nor does it do anything afterwards.
    const write = (): Promise<never> => {
      died.resolve();
      return new Promise(() => undefined);
    };
    const dying: Platform = { ...platform, database: { ...platform.database, write } };
    const reading = { readLog, forget: () => Promise.resolve() } as Pick<Runtime, 'readLog' | 'forget'> as Runtime;
    const stop = runtime.onEnded((end) => void finishExecution(dying, reading, end));
    // The next process comes later.
    Object.assign(runtime, {
      async readLog(...args: Parameters<typeof readLog>) {
        await died.promise;
        return readLog(...args);
      },
    });
    const before = new Set(stored());
    const order = (one: string | null, other: string | null): number => String(one).localeCompare(String(other));
    try {
      const { id, status } = await app.finish({ params: { files: { a: 'b' }, print: [long], return: { long } } });
      expect(status).toBe('SUCCEEDED');
      const row = await rowOf(id);
      const files = await platform.database.read.selectFrom('execution_files').select('blob').execute();
      const kept = [row.log_blob, row.result_blob, ...files.map(({ blob }) => blob)];
      expect(kept).not.toContain(null);
      // The input is removed after the end.
      const left = (): string[] => stored().filter((blob) => !before.has(blob));
      await expect.poll(() => left().toSorted(order), patient).toEqual(kept.toSorted(order));
    } finally {
      stop();
      Object.assign(runtime, { readLog });
    }
  });

  test('a long input is noted as unused until it is accepted, and gone with the end', async () => {
    const { platform } = kethub.kethub;
    await expect.poll(noted, patient).toEqual([]);
    const before = new Set(stored());
    const put = platform.blobs.put.bind(platform.blobs);
    const notes: string[][] = [];
    const accepted = Promise.withResolvers<string[]>();
    Object.assign(platform.blobs, {
      async put(...args: Parameters<typeof put>) {
        const [content] = args;
        const isInput = Buffer.isBuffer(content) && content.equals(Buffer.from(JSON.stringify({ data: long })));
        if (isInput && notes.length === 0) notes.push(await noted());
        // Its end, with which the input is noted again, comes later.
        else await accepted.promise;
        return put(...args);
      },
    });
    const { id } = await app.start({ data: long }).finally(() => {
      accepted.resolve(noted());
      Object.assign(platform.blobs, { put });
    });
    // Noted before a byte of it was stored.
    expect(notes).toHaveLength(1);
    expect(notes[0]).toHaveLength(1);
    expect(await accepted.promise).not.toContain(notes[0]?.[0]);
    expect((await app.request('GET', `/${id}`, { headers: { prefer: 'wait=30' } })).status).toBe(200);
    await expect.poll(async () => (await rowOf(id)).status, patient).toBe('SUCCEEDED');
    await expect.poll(() => stored().includes(notes[0]?.[0] ?? ''), patient).toBe(false);
    await expect.poll(noted, patient).toEqual([]);
    expect(stored().filter((blob) => !before.has(blob))).toEqual([(await rowOf(id)).result_blob]);
  });

  test('the long input of one that is cancelled while it runs is gone once it is collected', async () => {
    const { id } = await app.start({ params: { sleep: 60 }, data: 'x'.repeat(70_000) });
    while ((await rowOf(id)).status === 'PENDING') await pause(10);
    expect((await app.request('PUT', `/${id}/cancel`)).status).toBe(200);
    await expect.poll(async () => (await rowOf(id)).log, patient).not.toBeNull();
    expect(await rowOf(id)).toMatchObject({ status: 'CANCELLED', input: null, input_blob: null });
  });

  test('who hangs up before the first byte of a large result leaves no file open', async () => {
    const { id } = await app.finish({ params: { return: { long } } });
    const { owner_type: type, owner_id, result_blob } = await rowOf(id);
    if (type === null || owner_id === null || result_blob === null) throw new Error('It has no owner or no blob');
    const scope = { of: { by: 'OWNER' as const, type, id: owner_id }, address: 'http://localhost' };
    const body = await readResult(kethub.platform, scope, id);
    const open = (): number =>
      readdirSync('/proc/self/fd').filter((file) => openedAs(file).endsWith(result_blob)).length;
    expect(open()).toBe(1);
    if (!(body instanceof Readable)) throw new Error('It is not streamed');
    body.destroy();
    await expect.poll(open, patient).toBe(0);
    const { text } = await app.request('GET', `/${id}/result`);
    expect(JSON.parse(text)).toMatchObject({ long });
  });
});

/** The file behind a descriptor of this process; empty when it was closed meanwhile. */
function openedAs(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}
