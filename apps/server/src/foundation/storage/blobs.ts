import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { chmod, copyFile, link, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncEntry } from './files.ts';

/** The code of errors of a store that does not answer, or refuses. */
export const STORE_AWAY = 'STORE_AWAY';

/** Returns whether the error says that the store does not answer. */
export function isStoreAway(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === STORE_AWAY;
}

/** A store of immutable byte sequences by key: a folder, or a bucket of S3 (blobs-s3.ts). */
export interface Blobs {
  /**
   * Stores `source` under `key`, by default a new one, and returns the key. Replaces a blob with this key. The blob is
   * durable when the promise resolves; after an error nothing is stored.
   */
  put(source: Buffer | string | Readable, key?: string): Promise<string>;
  /** The key of a blob that is not stored yet. */
  newKey(): string;
  /**
   * Size of the whole blob, and a stream of the bytes `from` to `to`, inclusive. Throws ENOENT if there is no such
   * blob.
   */
  get(key: string, range?: { from: number; to?: number }): Promise<{ bytes: number; stream: Readable }>;
  /**
   * Creates a file at `target` with the content of the blob. Every user of this machine may read it; permissions of
   * its folder restrict that. Nobody may write to it, because it may be a hard link. It stays when the blob is
   * removed. Throws ENOENT if there is no such blob.
   */
  linkTo(key: string, target: string): Promise<void>;
  /** Removes a blob, if it exists. */
  remove(key: string): Promise<void>;
  /** The keys of all blobs. One that is stored or removed meanwhile may be among them. */
  keys(): AsyncIterable<string>;
}

/** The form of a key. */
export const KEY = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Path of a blob: `<first two characters>/<key>`, the same in all stores, so that one can be copied to another. */
export function blobPath(key: string): string {
  if (!KEY.test(key)) throw new Error(`Not a blob key: ${JSON.stringify(key)}`);
  return `${key.slice(0, 2)}/${key}`;
}

/**
 * The key of a part of a resource, such as the log of an execution. It is the same at each attempt to store the part,
 * so that a retry replaces the blob of an interrupted attempt.
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

/** Milliseconds without a write after which a draft is removed: the process that wrote it has ended. */
const DRAFT_MS = 60 * 60 * 1000;

/**
 * Opens a folder of blobs. A file is written as a draft, synced, then renamed. Several processes may share the
 * folder.
 */
export function openBlobFolder(folder: string): Blobs {
  const temporary = path.join(folder, 'tmp');
  fs.mkdirSync(temporary, { recursive: true, mode: 0o700 });
  removeOldDrafts(temporary);
  const fileOf = (key: string): string => path.join(folder, blobPath(key));
  return {
    newKey: randomUUID,
    async put(source, key = randomUUID()) {
      const target = fileOf(key);
      const draft = path.join(temporary, randomUUID());
      try {
        await writeSynced(draft, source);
        await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
        await rename(draft, target);
        await syncEntry(path.dirname(target));
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      return key;
    },
    async get(key, range) {
      const file = await open(fileOf(key), 'r');
      const { size } = await file.stat();
      const end = range?.to === undefined ? {} : { end: range.to };
      return { bytes: size, stream: file.createReadStream({ start: range?.from ?? 0, ...end }) };
    },
    async linkTo(key, target) {
      const source = fileOf(key);
      await chmod(source, 0o444);
      try {
        await link(source, target);
      } catch (error) {
        if (!isRefusedLink(error)) throw error;
        await copyFile(source, target, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE);
      }
    },
    async remove(key) {
      await rm(fileOf(key), { force: true });
    },
    async *keys() {
      for (const shard of await readdir(folder))
        if (/^[0-9a-f]{2}$/.test(shard))
          for (const name of await readdir(path.join(folder, shard))) if (KEY.test(name)) yield name;
    },
  };
}

function removeOldDrafts(temporary: string): void {
  const before = Date.now() - DRAFT_MS;
  for (const name of fs.readdirSync(temporary)) {
    const draft = path.join(temporary, name);
    // A draft that is gone meanwhile was finished by its writer.
    const written = fs.statSync(draft, { throwIfNoEntry: false })?.mtimeMs;
    if (written !== undefined && written < before) fs.rmSync(draft, { force: true });
  }
}

/** Returns whether a hard link is impossible: another file system, one without links, or too many links of the file. */
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

/** Compared with chunks of a stream; a longer chunk is written even if it is zero. */
const ZEROS = Buffer.alloc(1024 * 1024);

/**
 * Writes a stream as a sparse file: chunks of zeros (64 KiB from a file) become holes. So a sparse file of 2 GiB from
 * user code takes no space here either. Length and content are those of the stream.
 */
async function writeSparse(file: string, source: Readable): Promise<void> {
  // Node's write stream accepts another `write`, here one that skips zeros. With `start` it passes positions.
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
