import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { chmod, copyFile, link, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Immutable byte sequences by key: in a folder, here, or in an S3 (blobs-s3.ts). */
export interface Blobs {
  /**
   * Stores what `source` yields and returns its key: the one of `newKey` that is passed, or a new one. Durable when
   * resolved; on an error nothing stays. What is stored under a key already is replaced.
   */
  put(source: Buffer | string | Readable, key?: string): Promise<string>;
  /** The key of a blob that is not stored yet. */
  newKey(): string;
  /** Size in bytes and a stream of it, from byte `from` on, to `to` inclusive. Throws ENOENT when there is no such blob. */
  get(key: string, range?: { from: number; to?: number }): Promise<{ bytes: number; stream: Readable }>;
  /**
   * Makes a file at `target` that holds the blob and that every user of this machine may read; its folder decides who
   * can reach it. It must not be written: it may be the blob itself. Stays when the blob is removed. Throws ENOENT when
   * there is no such blob.
   */
  linkTo(key: string, target: string): Promise<void>;
  /** Removes a blob; one that is already gone is fine. */
  remove(key: string): Promise<void>;
}

const KEY = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Where a blob lies in its store: `<first two characters>/<key>`. The same in all, so that one can be copied to another. */
export function blobPath(key: string): string {
  if (!KEY.test(key)) throw new Error(`Not a blob key: ${JSON.stringify(key)}`);
  return `${key.slice(0, 2)}/${key}`;
}

/**
 * The key of a part of something, such as the log of an execution: at each attempt to store it the same. One that was
 * interrupted leaves nothing that the next does not replace.
 */
export function blobKeyOf(owner: string, part: string): string {
  const digest = createHash('sha256').update(`${owner} ${part}`).digest('hex');
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    digest.slice(12, 16),
    digest.slice(16, 20),
    digest.slice(20, 32),
  ].join('-');
}

/** A draft that nobody has written to for so long was left by a process that is gone. */
const DRAFT_MS = 60 * 60 * 1000;

/** Blobs as files below `folder`, written to a temporary name, synced, then renamed. Several processes may share it. */
export function openBlobFolder(folder: string): Blobs {
  const temporary = path.join(folder, 'tmp');
  fs.mkdirSync(temporary, { recursive: true, mode: 0o700 });
  removeOldDrafts(temporary);
  const place = (key: string): string => path.join(folder, blobPath(key));
  return {
    newKey: randomUUID,
    async put(source, key = randomUUID()) {
      const target = place(key);
      const draft = path.join(temporary, randomUUID());
      try {
        await writeSynced(draft, source);
        await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
        await rename(draft, target);
        await syncFolder(path.dirname(target));
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      return key;
    },
    async get(key, range) {
      const file = await open(place(key), 'r');
      const { size } = await file.stat();
      const end = range?.to === undefined ? {} : { end: range.to };
      return { bytes: size, stream: file.createReadStream({ start: range?.from ?? 0, ...end }) };
    },
    async linkTo(key, target) {
      const source = place(key);
      await chmod(source, 0o444);
      try {
        await link(source, target);
      } catch (error) {
        if (!isRefusedLink(error)) throw error;
        await copyFile(source, target, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE);
      }
    },
    async remove(key) {
      await rm(place(key), { force: true });
    },
  };
}

function removeOldDrafts(temporary: string): void {
  const before = Date.now() - DRAFT_MS;
  for (const name of fs.readdirSync(temporary)) {
    const draft = path.join(temporary, name);
    // Gone meanwhile: whoever wrote it has finished it.
    const written = fs.statSync(draft, { throwIfNoEntry: false })?.mtimeMs;
    if (written !== undefined && written < before) fs.rmSync(draft, { force: true });
  }
}

/** Another file system, one without hard links, or a file that has as many as it can have. */
function isRefusedLink(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS'].includes(code);
}

async function writeSynced(file: string, source: Buffer | string | Readable): Promise<void> {
  if (typeof source === 'string' || Buffer.isBuffer(source)) {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(source);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } else {
    await writeSparse(file, source);
  }
}

const ZEROS = Buffer.alloc(1024 * 1024);

/**
 * Writes a stream and leaves out the pieces that are zero, as they come (64 KiB from a file): a file of 2 GiB that a
 * program has only made long takes no space here either. Its length and its bytes are those of the stream.
 */
async function writeSparse(file: string, source: Readable): Promise<void> {
  // What a stream of Node writes with may be given: here a write that passes over zeros. `start` makes it say where.
  const write = (
    descriptor: number,
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
    done: (error: NodeJS.ErrnoException | null, written: number, bytes: Uint8Array) => void,
  ): void => {
    const isZero = length <= ZEROS.length && ZEROS.compare(bytes, offset, offset + length, 0, length) === 0;
    if (isZero) setImmediate(done, null, length, bytes);
    else fs.write(descriptor, bytes, offset, length, position, done);
  };
  const overrides = { open: fs.open, close: fs.close, write };
  const target = fs.createWriteStream(file, { flags: 'wx', mode: 0o600, start: 0, fs: overrides });
  await pipeline(source, target);
  const handle = await open(file, 'r+');
  try {
    await handle.truncate(target.bytesWritten);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A rename is on disk only when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
