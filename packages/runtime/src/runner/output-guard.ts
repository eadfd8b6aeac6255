import { statSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import { missingSpace, spaceOf } from '../free-space.ts';
import { measureUnlinkedFiles } from '../sandbox/unlinked-files.ts';
import type { Limits } from '../types.ts';
import { measureFolders, type Bounds } from './measure-folder.ts';

/** Milliseconds between two measurements of a program. */
const LOOK_MS = 1_000;
/** Milliseconds between two questions for the free space of the disk, which take 5 µs each. */
const ASK_MS = 50;
/**
 * Bytes lost between two questions from which all programs are measured at once: one of them may be filling the disk.
 */
const FALLING_BYTES = 8 * 1024 * 1024;
/** The same in files. */
const FALLING_FILES = 1_000;
/** Factor over the output limits while a program runs: scratch files are allowed, a full disk is not. */
const TOLERANCE = 2;
/** Entries allowed beyond that, for scratch files. Beyond them the program is ended. */
const MOST_ENTRIES_MORE = 30_000;
/**
 * Measurements in which a program must hide files before they count. Programs also pass descriptors to each other for a
 * moment.
 */
const UNSEEN_LOOKS = 3;
/** Bytes. On a full disk a program with less than this is not ended, as it has not filled the disk. */
const WORTH_ENDING_BYTES = 16 * 1024 * 1024;

/**
 * Reason why a program is ended. OUTPUT: it uses far more than its limit. DISK: the disk is nearly full and it uses the most.
 */
export type Excess = 'OUTPUT' | 'DISK';

/** A program that writes files. */
export interface Writer {
  /** Its output folder. */
  dir: string;
  /** Other folders that it may write to. They count as output. */
  more?: readonly string[];
  limits: Pick<Limits, 'outputBytes' | 'outputFiles' | 'fileBytes'>;
  /** Its processes on this machine. */
  processes(): readonly number[];
  /** Measures what it has written elsewhere on a disk; see `Run.layer`. */
  layer?(bounds: Bounds): Promise<Layer>;
  /** Called once. */
  exceeded(why: Excess): void;
}

/** The changes that a program has made to its image. */
export interface Layer {
  bytes: number;
  entries: number;
  /** `st_dev` of its root folder. Null when that is not on this machine. */
  device: number | null;
}

export const NO_LAYER: Layer = { bytes: 0, entries: 0, device: null };

interface Guard {
  look(): Promise<void>;
  end(why: Excess): void;
  /** Bytes that it used at the last measurement, and bytes that it may use where nobody sees them. */
  bytes: number;
  unseenBytes: number;
}

/**
 * Measures what programs write while they run: each second, and at once when the disk loses space quickly. It counts
 * the files in their output folders and deleted files that their processes keep open. Without project quotas, which
 * most machines lack, there is no better way.
 *
 * Measured with a program that writes 1.2 GB/s: the bytes that it wrote before its end fell from 1.2 GB to 138 MB.
 * Another program's files beyond its bound fell from 170,000 to 2,500.
 */
export class OutputGuards {
  readonly #dir: string;
  readonly #guards = new Set<Guard>();
  readonly #floor: () => number | null;
  #timer: NodeJS.Timeout | null = null;
  #free = { bytes: 0, files: 0 };
  #relieving = false;

  /**
   * @param dir any folder of the disk that holds the output folders.
   * @param floor bytes that stay free; null for the default.
   */
  constructor(dir: string, floor: () => number | null = () => null) {
    this.#dir = dir;
    this.#floor = floor;
  }

  /** Bytes that must become free before executions may start, or 0. Takes 5 µs. */
  get missingBytes(): number {
    return missingSpace(this.#dir, this.#floor());
  }

  /** @returns a function that stops the guard. */
  guard(writer: Writer): () => void {
    const { dir, more = [], limits } = writer;
    const bounds: Bounds = {
      bytes: limits.outputBytes * TOLERANCE,
      entries: limits.outputFiles * TOLERANCE + MOST_ENTRIES_MORE,
    };
    const freeAtFirst = spaceOf(this.#dir).bytes;
    let looking: Promise<void> | null = null;
    let over = false;
    let looksUnseen = 0;
    const measure = async (): Promise<void> => {
      const folder = await measureFolders([dir, ...more], bounds);
      const layer = (await writer.layer?.(bounds)) ?? NO_LAYER;
      const devices = [
        ...[dir, ...more].map((one) => statSync(one).dev),
        ...(layer.device === null ? [] : [layer.device]),
      ];
      const unlinked = await measureUnlinkedFiles(writer.processes(), devices);
      if (over) return;
      guard.bytes = folder.bytes + layer.bytes + unlinked.bytes;
      // A file is never larger than its limit.
      guard.unseenBytes = (unlinked.unseen + folder.closed) * limits.fileBytes;
      looksUnseen = guard.unseenBytes > 0 ? looksUnseen + 1 : 0;
      const lost = freeAtFirst - spaceOf(this.#dir).bytes;
      const hides =
        looksUnseen >= UNSEEN_LOOKS && lost > bounds.bytes && guard.bytes + guard.unseenBytes > bounds.bytes;
      if (guard.bytes > bounds.bytes || folder.entries + layer.entries > bounds.entries || hides) guard.end('OUTPUT');
    };
    const guard: Guard = {
      bytes: 0,
      unseenBytes: 0,
      end(why) {
        if (over) return;
        over = true;
        writer.exceeded(why);
      },
      async look() {
        if (over) return;
        looking ??= measure()
          .catch((error: unknown) => {
            if (!over) console.error(`an output folder could not be measured: ${messageOf(error)}`);
          })
          .finally(() => {
            looking = null;
          });
        await looking;
      },
    };
    const timer = setInterval(() => void guard.look(), LOOK_MS);
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
    this.#free = spaceOf(this.#dir);
    this.#timer = setInterval(() => {
      if (this.#guards.size === 0) {
        if (this.#timer !== null) clearInterval(this.#timer);
        this.#timer = null;
        return;
      }
      const before = this.#free;
      this.#free = spaceOf(this.#dir);
      const falling =
        before.bytes - this.#free.bytes > FALLING_BYTES || before.files - this.#free.files > FALLING_FILES;
      if (falling) for (const guard of this.#guards) void guard.look();
      if (this.missingBytes > 0) void this.#relieve();
    }, ASK_MS);
  }

  /** Ends the program that uses the most on a nearly full disk. The next one follows only if that was not enough. */
  async #relieve(): Promise<void> {
    if (this.#relieving) return;
    this.#relieving = true;
    try {
      await Promise.all([...this.#guards].map(async (guard) => guard.look()));
      const [most] = [...this.#guards].sort((a, b) => usedBytes(b) - usedBytes(a));
      if (most !== undefined && usedBytes(most) >= WORTH_ENDING_BYTES && this.missingBytes > 0) most.end('DISK');
    } finally {
      setTimeout(() => {
        this.#relieving = false;
      }, LOOK_MS).unref();
    }
  }
}

function usedBytes({ bytes, unseenBytes }: Guard): number {
  return bytes + unseenBytes;
}
