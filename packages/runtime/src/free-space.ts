import { statfsSync } from 'node:fs';
import { messageOf } from './errors.ts';

/**
 * Bytes that stay free on a disk, for the records, logs and results of all executions. Below them no execution starts.
 */
const FLOOR_BYTES = 2 ** 30;
/** Share of a small disk that stays free, where that is less. */
const FLOOR_PART = 0.02;

/**
 * The space that users other than root may still use. Btrfs reports 0 files, as it does not count them; there, the
 * check of each second notices many files.
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
 * Bytes that must become free on the disk of a folder before executions may start, or 0. Takes 5 µs.
 * @param floor bytes that stay free; null for 1 GiB, or 2 % of a smaller disk.
 */
export function missingSpace(dir: string, floor: number | null): number {
  const { bytes, total } = spaceOf(dir);
  return Math.max(0, Math.ceil((floor ?? Math.min(FLOOR_BYTES, total * FLOOR_PART)) - bytes));
}
