import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, lutimes, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { messageOf } from '../errors.ts';
import { isExecutable, planEntry, show } from './archive-entry.ts';
import { removeTree } from './folders.ts';
import { BuildError } from './problem.ts';
import { pythonProject } from './project.ts';

/** Limits of an archive. Bytes are counted as they are written, not as the archive declares them. */
export interface UnpackLimits {
  files: number;
  bytes: number;
}

export const DEFAULT_UNPACK_LIMITS: UnpackLimits = { files: 5_000, bytes: 256 * 1024 * 1024 };

export interface Unpacked {
  files: number;
  bytes: number;
}

/** The modification time of every file, so that the same archive unpacks to the same tree. */
const MODIFIED = new Date('1980-01-01T00:00:00Z');

/**
 * Unpacks the ZIP of a project into `targetDir`, which must not exist: files 0644 (or 0755), folders 0755, nothing
 * else. The target appears only when it is complete.
 * @throws BuildError when the archive is refused; then nothing stays.
 */
export async function unpackSource(
  zipPath: string,
  targetDir: string,
  limits = DEFAULT_UNPACK_LIMITS,
  project = pythonProject,
): Promise<Unpacked> {
  const draft = `${targetDir}.draft-${randomUUID()}`;
  const zip = await open(zipPath);
  try {
    await mkdir(draft, { recursive: true, mode: 0o755 });
    const writer = new Writer(zip, draft, limits, project.keepsExecutable);
    await writer.writeAll();
    project.check(writer);
    await writer.seal();
    await rename(draft, targetDir);
    return { files: writer.files.size, bytes: writer.bytes };
  } catch (error) {
    await removeTree(draft);
    throw error;
  } finally {
    zip.close();
  }
}

async function open(zipPath: string): Promise<ZipFile> {
  try {
    return await openPromise(zipPath, { autoClose: false, decodeStrings: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw error;
    throw new BuildError('archive-invalid', `The upload is not a ZIP, or it is cut off: ${messageOf(error)}`);
  }
}

class Writer {
  readonly files = new Set<string>();
  readonly folders = new Set<string>();
  bytes = 0;
  private readonly executables = new Set<string>();
  private readonly ranges: { start: number; end: number; name: string }[] = [];
  private readonly zip: ZipFile;
  private readonly root: string;
  private readonly limits: UnpackLimits;
  private readonly keepsExecutable: boolean;

  constructor(zip: ZipFile, root: string, limits: UnpackLimits, keepsExecutable: boolean) {
    this.zip = zip;
    this.root = root;
    this.limits = limits;
    this.keepsExecutable = keepsExecutable;
  }

  async writeAll(): Promise<void> {
    if (this.zip.entryCount > this.limits.files) {
      throw new BuildError(
        'archive-too-large',
        `The ZIP has ${this.zip.entryCount} entries, at most ${this.limits.files} are allowed. Leave out environments and caches.`,
      );
    }
    try {
      for await (const entry of this.zip.eachEntry()) await this.write(entry);
    } catch (error) {
      // A fault that yauzl or zlib finds (truncated, wrong sizes, broken deflate) is a fault of the archive.
      if (error instanceof BuildError || (error instanceof Error && 'syscall' in error)) throw error;
      throw new BuildError('archive-invalid', `The ZIP is damaged: ${messageOf(error)}. Make it again.`);
    }
    this.checkOverlaps();
  }

  private async write(entry: Entry): Promise<void> {
    const planned = planEntry(entry);
    if (planned.kind === 'SKIP') return;
    if (planned.kind === 'FOLDER') {
      await this.folder(planned.path);
      return;
    }
    const { path } = planned;
    if (this.files.has(path) || this.folders.has(path)) {
      throw new BuildError('archive-unsafe', `The ZIP holds ${show(path)} twice. Make it again.`);
    }
    await this.folder(dirname(path));
    this.files.add(path);
    if (this.keepsExecutable && isExecutable(entry)) this.executables.add(path);
    const { fileDataStart } = await this.zip.readLocalFileHeaderPromise(entry, { minimal: true });
    this.ranges.push({
      start: entry.relativeOffsetOfLocalHeader,
      end: fileDataStart + entry.compressedSize,
      name: path,
    });
    await this.content(entry, path);
  }

  private async folder(path: string): Promise<void> {
    if (path === '.' || this.folders.has(path)) return;
    await this.folder(dirname(path));
    if (this.files.has(path))
      throw new BuildError('archive-unsafe', `The ZIP holds ${show(path)} as a file and as a folder. Make it again.`);
    this.folders.add(path);
    await mkdir(join(this.root, path), { mode: 0o755 });
  }

  private async content(entry: Entry, path: string): Promise<void> {
    let sum = 0;
    const count = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.bytes += chunk.length;
        sum = crc32(chunk, sum);
        done(this.bytes > this.limits.bytes ? this.tooLarge(path) : null, chunk);
      },
    });
    if (this.bytes + entry.uncompressedSize > this.limits.bytes) throw this.tooLarge(path);
    const file = createWriteStream(join(this.root, path), { flags: 'wx', mode: 0o644 });
    await pipeline(await this.zip.openReadStreamPromise(entry), count, file);
    if (sum !== entry.crc32)
      throw new BuildError('archive-invalid', `The entry ${show(path)} is damaged (checksum). Make the ZIP again.`);
  }

  private tooLarge(path: string): BuildError {
    const megabytes = Math.floor(this.limits.bytes / (1024 * 1024));
    const detail = `The ZIP unpacks to more than ${megabytes} MiB (reached at ${show(path)}). Put data into a data pool instead.`;
    return new BuildError('archive-too-large', detail);
  }

  /**
   * Refuses entries that share bytes of the archive. With them a small ZIP unpacks to a huge tree (zip bomb, D. Fifield
   * 2019).
   */
  private checkOverlaps(): void {
    let before: { end: number; name: string } | null = null;
    for (const range of this.ranges.toSorted((a, b) => a.start - b.start)) {
      if (before !== null && range.start < before.end) {
        throw new BuildError(
          'archive-unsafe',
          `The entries ${show(before.name)} and ${show(range.name)} overlap. Make the ZIP again.`,
        );
      }
      before = range;
    }
  }

  /** Sets modes, whatever the umask, and the fixed time. Folders come last, the deepest first. */
  async seal(): Promise<void> {
    for (const path of this.files) await this.fix(join(this.root, path), this.executables.has(path) ? 0o755 : 0o644);
    for (const path of [...this.folders].toSorted().toReversed()) await this.fix(join(this.root, path), 0o755);
    await this.fix(this.root, 0o755);
  }

  private async fix(path: string, mode: number): Promise<void> {
    await chmod(path, mode);
    await lutimes(path, MODIFIED, MODIFIED);
  }
}
