import { execFile } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode, messageOf } from '../errors.ts';

const run = promisify(execFile);
const LOOK_MS = 1_000;
/** Asking a file system how much is free takes 5 µs. */
const ASK_MS = 50;
/** When the disk loses so much between two questions, somebody may be filling it. */
const FALLING_BYTES = 8 * 1024 * 1024;
const FALLING_FILES = 1_000;
/** Of the limits that hold for what is offered in the end: scratch files are welcome, a full disk is not. */
const TOLERANCE = 2;
const MOST_ENTRIES_MORE = 30_000;
/** How many files are asked for their size at once. */
const TOGETHER = 64;

interface Guard {
  look(): void;
}

/**
 * Looks at output folders while programs fill them: each second, and at once when the disk below them loses space quickly.
 * File systems without project quotas (and most machines) have no better way. Measured with a program that writes 1.2 GB/s:
 * the bytes that it wrote before it was ended fell from 1.2 GB to 138 MB, and the files that another one made beyond its
 * bound from 170,000 to 2,500.
 */
export class OutputGuards {
  readonly #dir: string;
  readonly #guards = new Set<Guard>();
  #timer: NodeJS.Timeout | null = null;
  #free = { bytes: 0, files: 0 };

  /** @param dir any folder of the disk that output folders are on. */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /**
   * Calls `exceeded` once when a folder holds far too much.
   * @returns what ends the looking.
   */
  guard(dir: string, limits: { outputBytes: number; outputFiles: number }, exceeded: () => void): () => void {
    const bounds = {
      bytes: limits.outputBytes * TOLERANCE,
      entries: limits.outputFiles * TOLERANCE + MOST_ENTRIES_MORE,
    };
    let looking = false;
    let over = false;
    const look = (): void => {
      if (looking || over) return;
      looking = true;
      exceeds(dir, bounds)
        .then((yes) => {
          if (!yes || over) return;
          over = true;
          exceeded();
        })
        .catch((error: unknown) => {
          console.error(`an output folder could not be measured: ${messageOf(error)}`);
        })
        .finally(() => {
          looking = false;
        });
    };
    const guard = { look };
    const timer = setInterval(look, LOOK_MS);
    this.#guards.add(guard);
    this.#watch();
    return () => {
      over = true;
      clearInterval(timer);
      this.#guards.delete(guard);
    };
  }

  #watch(): void {
    if (this.#timer !== null) return;
    this.#free = freeIn(this.#dir);
    this.#timer = setInterval(() => {
      if (this.#guards.size === 0) {
        if (this.#timer !== null) clearInterval(this.#timer);
        this.#timer = null;
        return;
      }
      const before = this.#free;
      this.#free = freeIn(this.#dir);
      const falling =
        before.bytes - this.#free.bytes > FALLING_BYTES || before.files - this.#free.files > FALLING_FILES;
      if (falling) for (const guard of this.#guards) guard.look();
    }, ASK_MS);
  }
}

/** Btrfs does not count files and says 0; there, many files are noticed by the look of each second. */
function freeIn(dir: string): { bytes: number; files: number } {
  try {
    const { bfree, bsize, ffree } = statfsSync(dir);
    return { bytes: bfree * bsize, files: ffree };
  } catch (error) {
    console.error(`the free space of ${dir} is not known: ${messageOf(error)}`);
    return { bytes: 0, files: 0 };
  }
}

/** The program may change everything meanwhile; that makes this inexact, and it reads nothing but names and sizes. */
async function exceeds(top: string, bounds: { bytes: number; entries: number }): Promise<boolean> {
  const pending = [top];
  let bytes = 0;
  let entries = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    let files: string[] = [];
    const sizes = async (): Promise<void> => {
      const all = await Promise.all(files.map(bytesOf));
      files = [];
      bytes += all.reduce((sum, one) => sum + one, 0);
    };
    try {
      for await (const entry of await opendir(folder, { bufferSize: 1_024 })) {
        entries += 1;
        if (entry.isDirectory()) pending.push(join(folder, entry.name));
        else files.push(join(folder, entry.name));
        if (files.length >= TOGETHER) await sizes();
        if (bytes > bounds.bytes || entries > bounds.entries) return true;
      }
      await sizes();
      if (bytes > bounds.bytes) return true;
    } catch (error) {
      if (errorCode(error) === 'ENAMETOOLONG') return exceedsDeep(top, bounds);
      if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error) ?? '')) throw error;
    }
  }
  return false;
}

/** Nested beyond 4 KiB of path: du(1) goes from folder to folder. It cannot enter what is closed, and neither can we. */
async function exceedsDeep(top: string, bounds: { bytes: number; entries: number }): Promise<boolean> {
  const [bytes = 0, entries = 0] = await Promise.all(
    ['--block-size=1', '--inodes'].map(async (option) => {
      const { stdout } = await run('du', ['-s', option, '--', top], { env: {} }).catch((error: unknown) =>
        partOf(error),
      );
      return Number(stdout.split('\t')[0]);
    }),
  );
  return bytes > bounds.bytes || entries > bounds.entries;
}

/** What du has printed although it could not enter every folder. */
function partOf(error: unknown): { stdout: string } {
  if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string') return { stdout: error.stdout };
  throw error;
}

async function bytesOf(file: string): Promise<number> {
  try {
    return (await lstat(file)).blocks * 512;
  } catch (error) {
    if (errorCode(error) === 'ENAMETOOLONG' || errorCode(error) === 'ENOENT') return 0; // its folder is found too long, or it is gone
    throw error;
  }
}
