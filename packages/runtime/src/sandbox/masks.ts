import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Entries of /proc that reveal what the whole machine does (interrupts, disks, locks, keys, pressure) or how it was
 * started, and that no program needs. Libraries read meminfo, stat, loadavg and uptime; these stay, as sysinfo(2) shows
 * the same values.
 */
export const MASKED: readonly string[] = [
  'buddyinfo', 'cmdline', 'diskstats', 'interrupts', 'key-users', 'keys', 'locks', 'modules', 'partitions',
  'pressure', 'schedstat', 'softirqs', 'swaps', 'vmstat', 'zoneinfo',
]; // prettier-ignore

export interface Mask {
  /** An empty file or folder of this machine. */
  from: string;
  to: string;
}

/** Makes the empty file and folder that masks show, below the folder of a root. */
export function writeMasks(dir: string): void {
  mkdirSync(join(dir, 'nothing', 'folder'), { recursive: true });
  writeFileSync(join(dir, 'nothing', 'file'), '');
}

/** Returns the entries of /proc to hide. A mask can be mounted only over an entry that this kernel has. */
export function masksOf(dir: string): Mask[] {
  return MASKED.filter((name) => existsSync(`/proc/${name}`) && isOpenToAll(`/proc/${name}`)).map((name) => {
    const kind = statSync(`/proc/${name}`).isDirectory() ? 'folder' : 'file';
    return { from: join(dir, 'nothing', kind), to: `/proc/${name}` };
  });
}

function isOpenToAll(path: string): boolean {
  return (statSync(path).mode & 0o004) !== 0;
}
