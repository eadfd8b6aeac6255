import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openBlobFolder, type Blobs } from './blobs.ts';

/** A folder on another file system than temporary files. */
const OTHER = '/dev/shm';
const MB = 1024 * 1024;
/** Bytes of a chunk when a file is read as a stream. */
const PIECE = 64 * 1024;

describe('a folder of blobs', () => {
  let folder: string;
  let elsewhere: string;
  let blobs: Blobs;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-blobs-'));
    elsewhere = await mkdtemp(path.join(existsSync(OTHER) ? OTHER : os.tmpdir(), 'kethub-blobs-'));
    blobs = openBlobFolder(path.join(folder, 'blobs'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
    await rm(elsewhere, { recursive: true });
  });

  test.each([
    [undefined, '0123456789'],
    [{ from: 3 }, '3456789'],
    [{ from: 3, to: 5 }, '345'],
    [{ from: 0, to: 0 }, '0'],
  ])('the range %j of a blob', async (range, expected) => {
    const { bytes, stream } = await blobs.get(await blobs.put('0123456789'), range);
    expect([bytes, await text(stream)]).toEqual([10, expected]);
  });

  test.each([
    ['a long hole', [[0, 8 * MB]]],
    [
      'data between holes, and at no boundary',
      [
        [3 * MB + 5, MB + 3],
        [100, 7 * MB],
      ],
    ],
    ['data alone', []],
  ] as const)('of %s only what is not zero takes room, and every byte is read as it was', async (_what, holes) => {
    const content = Buffer.alloc(10 * MB + 1, 'x');
    for (const [from, bytes] of holes) content.fill(0, from, from + bytes);
    const pieces = Array.from({ length: Math.ceil(content.length / PIECE) }, (_, at) => content.subarray(at * PIECE, (at + 1) * PIECE)); // prettier-ignore
    const key = await blobs.put(Readable.from(pieces));
    const { bytes, stream } = await blobs.get(key);
    expect(bytes).toBe(content.length);
    expect(Buffer.concat(await stream.toArray()).equals(content)).toBe(true);
    const part = await blobs.get(key, { from: 3 * MB, to: 3 * MB + 99 });
    expect(Buffer.concat(await part.stream.toArray()).equals(content.subarray(3 * MB, 3 * MB + 100))).toBe(true);
    const { blocks } = await stat(path.join(folder, 'blobs', key.slice(0, 2), key));
    const zeros = content.reduce((sum, byte) => sum + (byte === 0 ? 1 : 0), 0);
    // Only complete chunks of 64 KiB become holes, so one can be stored at each end of a hole.
    expect(blocks * 512).toBeLessThanOrEqual(content.length - zeros + (2 * holes.length + 1) * 2 * 64 * 1024);
  });

  test('a source that breaks leaves nothing', async () => {
    const breaking = Readable.from(
      (function* () {
        yield Buffer.from('x');
        throw new Error('broken');
      })(),
    );
    await expect(blobs.put(breaking)).rejects.toThrow('broken');
    expect(await readdir(path.join(folder, 'blobs', 'tmp'))).toEqual([]);
  });

  test('a placed file can be read by everybody and written by nobody, takes no room, and outlives its blob', async () => {
    const key = await blobs.put('content');
    const target = path.join(folder, 'placed');
    await blobs.linkTo(key, target);
    const { mode, nlink } = await stat(target);
    expect([mode & 0o777, nlink]).toEqual([0o444, 2]);
    await blobs.remove(key);
    expect(await readFile(target, 'utf8')).toBe('content');
    await expect(blobs.get(key)).rejects.toThrow('ENOENT');
  });

  test('on another file system it is a copy, as readable', async () => {
    const key = await blobs.put('content');
    const target = path.join(elsewhere, 'placed');
    await blobs.linkTo(key, target);
    expect([(await stat(target)).mode & 0o777, await readFile(target, 'utf8')]).toEqual([0o444, 'content']);
    await expect(blobs.linkTo(key, target)).rejects.toThrow('EEXIST');
  });

  test('a blob that is not there cannot be placed, nor a key that is none', async () => {
    await expect(blobs.linkTo(blobs.newKey(), path.join(folder, 'x'))).rejects.toThrow('ENOENT');
    await expect(blobs.linkTo('../../etc/passwd', path.join(folder, 'x'))).rejects.toThrow(/Not a blob key/);
  });
});
