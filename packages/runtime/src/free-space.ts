import { statfsSync } from 'node:fs';
import { messageOf } from './errors.ts';

/** Bytes that stay free on a disk, for the records, logs and results of all executions. Below them no execution starts. */
const FLOOR_BYTES = 2 ** 30;
/** Part of a small disk that stays free, where that is less. */
const FLOOR_PART = 0.02;

/**
 * Returns what users other than root may still write. Btrfs does not count files and says 0; there, many files are noticed by the
 * look of each second.
 */
export function spaceOf(dir: string): { bytes: number; files: number; total: number } {
  try {
    const { bavail, blocks, bsize, ffree } = statfsSync(dir);
    return { bytes: bavail * bsize, files: ffree, total: blocks * bsize };
  } catch (error) {
    console.error(`the free space of ${dir} is not known: ${messageOf(error)}`);
    return { bytes: 0, files: 0, total: 0 };
  }
}

/**
 * Bytes that are missing on the disk of a folder until as much is free as has to stay free, or 0. Takes 5 µs.
 * @param floor bytes that stay free; null for 1 GiB, or 2 % of a smaller disk.
 */
export function missingSpace(dir: string, floor: number | null): number {
  const { bytes, total } = spaceOf(dir);
  return Math.max(0, Math.ceil((floor ?? Math.min(FLOOR_BYTES, total * FLOOR_PART)) - bytes));
}
