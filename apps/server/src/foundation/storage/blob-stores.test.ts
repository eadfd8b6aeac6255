import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfiguration } from '../config/index.ts';
import { collectGarbage } from '../../testing/garbage.ts';
import { startS3, type TestS3 } from '../../testing/s3.ts';
import { openBlobFolder, type Blobs } from './blobs.ts';
import { openBlobs } from './open-blobs.ts';

const MIB = 1024 * 1024;

let folder: string;
let s3: TestS3;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-blobs-'));
  s3 = await startS3();
});
afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true });
});

describe.each([
  ['a folder', () => ({ KETHUB_BLOBS: `file://${folder}/shared%20store` })],
  ['an S3', () => s3.settings],
])('blobs in %s', (_what, settings) => {
  let blobs: Blobs;
  beforeAll(async () => {
    blobs = await openBlobs(readConfiguration(settings()).blobs, folder);
  });
  const read = async (key: string, range?: { from: number; to?: number }): Promise<string> => {
    const { stream } = await blobs.get(key, range);
    return Buffer.concat(await stream.toArray()).toString();
  };
  const sizeOf = async (key: string, range?: { from: number; to?: number }): Promise<number> => {
    const { bytes, stream } = await blobs.get(key, range);
    stream.destroy();
    return bytes;
  };

  test.each([
    ['a text', () => 'grüße'],
    ['bytes', () => Buffer.from('grüße')],
    ['a stream', () => Readable.from([Buffer.from('grü'), Buffer.from('ße')], { objectMode: false })],
  ])('%s comes back as it was', async (_kind, source) => {
    const key = await blobs.put(source());
    expect([await read(key), await sizeOf(key)]).toEqual(['grüße', 7]);
  });

  test('an empty one is one', async () => {
    const key = await blobs.put(Readable.from([], { objectMode: false }));
    expect([await read(key), await sizeOf(key)]).toEqual(['', 0]);
  });

  test('a key that is passed is its key', async () => {
    const key = blobs.newKey();
    expect([await blobs.put('one', key), await read(key)]).toEqual([key, 'one']);
  });

  test('a part of one is read, with the size of the whole', async () => {
    const key = await blobs.put('0123456789');
    expect(await read(key, { from: 7 })).toBe('789');
    expect(await read(key, { from: 2, to: 4 })).toBe('234');
    expect(await read(key, { from: 8, to: 100 })).toBe('89');
    expect(await sizeOf(key, { from: 2, to: 4 })).toBe(10);
    for (const from of [10, 11]) expect(await read(key, { from })).toBe('');
  });

  test('one of many parts is whole, and is placed as a file', async () => {
    const [source, target] = [path.join(folder, `${blobs.newKey()}-large`), path.join(folder, blobs.newKey())];
    await writeFile(source, Buffer.alloc(20 * MIB + 17, 'a long measurement; '));
    const key = await blobs.put(createReadStream(source));
    await blobs.linkTo(key, target);
    expect(await digestOf(createReadStream(target))).toBe(await digestOf(createReadStream(source)));
    expect((await stat(target)).mode & 0o777).toBe(0o444);
    await expect(blobs.linkTo(key, target)).rejects.toMatchObject({ code: 'EEXIST' });
    const end = await blobs.get(key, { from: 20 * MIB });
    expect([end.bytes, (await end.stream.toArray()).join('').length]).toEqual([20 * MIB + 17, 17]);
    await blobs.remove(key);
    expect((await readFile(target)).length).toBe(20 * MIB + 17);
  });

  test.each([
    ['at once', 0],
    ['after some parts', 20],
  ])('of a source that breaks %s nothing stays', async (_when, parts) => {
    const key = blobs.newKey();
    const source = Readable.from(
      (function* () {
        for (let part = 0; part < parts; part++) yield Buffer.alloc(MIB);
        throw new Error('the sender is gone');
      })(),
      { objectMode: false },
    );
    await expect(blobs.put(source, key)).rejects.toThrow('the sender is gone');
    await expect(blobs.get(key)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('what is not there is ENOENT, and can be removed', async () => {
    const key = await blobs.put('short-lived');
    await blobs.remove(key);
    await blobs.remove(key);
    await expect(blobs.get(key)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(blobs.linkTo(key, path.join(folder, 'nothing'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(stat(path.join(folder, 'nothing'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each(['../../etc/passwd', '', 'tmp'])('%j is no key', async (key) => {
    await expect(blobs.get(key)).rejects.toThrow('Not a blob key');
    await expect(blobs.put('x', key || '.')).rejects.toThrow('Not a blob key');
  });

  test('memory does not grow with the size of a blob', { timeout: 120_000 }, async () => {
    const SIZE = 112;
    const most = await peakGrowth(async () => {
      const key = await blobs.put(Readable.from(megabytes(SIZE), { objectMode: false }));
      const { bytes, stream } = await blobs.get(key);
      let read = 0;
      for await (const chunk of stream) read += (chunk as Buffer).length;
      expect([bytes, read]).toEqual([SIZE * MIB, SIZE * MIB]);
      await blobs.remove(key);
    });
    expect(most).toBeLessThan(75 * MIB);
  });
});

test('a folder that is opened by another process keeps what the first is writing, and loses what was left long ago', async () => {
  const store = path.join(folder, 'two processes');
  const blobs = openBlobFolder(store);
  const [abandoned, writing] = [path.join(store, 'tmp', blobs.newKey()), path.join(store, 'tmp', blobs.newKey())];
  for (const draft of [abandoned, writing]) await writeFile(draft, 'half');
  const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  await utimes(abandoned, longAgo, longAgo);
  openBlobFolder(store);
  expect(await readFile(writing, 'utf8')).toBe('half');
  await expect(stat(abandoned)).rejects.toMatchObject({ code: 'ENOENT' });
});

function* megabytes(count: number): Generator<Buffer> {
  for (let one = 0; one < count; one++) yield Buffer.alloc(MIB, one);
}

async function digestOf(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** The most bytes by which the memory of used buffers grew during `work`. */
async function peakGrowth(work: () => Promise<void>): Promise<number> {
  const used = (): number => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  const before = used();
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, used() - before);
  }, 250);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most;
}
