import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openBlobFolder, type Blobs } from './blobs.ts';

/** A file system that is certainly another one than that of temporary files. */
const OTHER = '/dev/shm';

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

  test('a placed file can be read by everybody and written by nobody, takes no room, and outlives its blob', async () => {
    const key = await blobs.put('content');
    const target = path.join(folder, 'placed');
    await blobs.place(key, target);
    const { mode, nlink } = await stat(target);
    expect([mode & 0o777, nlink]).toEqual([0o444, 2]);
    await blobs.remove(key);
    expect(await readFile(target, 'utf8')).toBe('content');
    await expect(blobs.get(key)).rejects.toThrow('ENOENT');
  });

  test('on another file system it is a copy, as readable', async () => {
    const key = await blobs.put('content');
    const target = path.join(elsewhere, 'placed');
    await blobs.place(key, target);
    expect([(await stat(target)).mode & 0o777, await readFile(target, 'utf8')]).toEqual([0o444, 'content']);
    await expect(blobs.place(key, target)).rejects.toThrow('EEXIST');
  });

  test('a blob that is not there cannot be placed, nor a key that is none', async () => {
    await expect(blobs.place(blobs.newKey(), path.join(folder, 'x'))).rejects.toThrow('ENOENT');
    await expect(blobs.place('../../etc/passwd', path.join(folder, 'x'))).rejects.toThrow(/Not a blob key/);
  });
});
