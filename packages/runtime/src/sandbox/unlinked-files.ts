import { readFileSync, readdirSync, readlinkSync, statSync, type Stats } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { errorCode } from '../errors.ts';
import { threadsOf } from './usage.ts';

/** Deleted files that processes still keep open or mapped. No folder shows them, but they take space on the disk. */
interface UnlinkedFiles {
  bytes: number;
  /**
   * Files that exist but whose size nobody can see: sent through a socket, or of a process that cannot be inspected.
   */
  unseen: number;
}

/** Files to inspect (5 µs each) before the event loop gets a turn. */
const AT_ONCE = 200;
/** Assumed open files of a process that cannot be inspected: its limit. */
const OF_CLOSED_PROCESS = 1_024;
const BLOCK_BYTES = 512;

/**
 * Measures deleted files on one disk. Each thread may have descriptors of its own, and a mapping keeps a file without
 * any descriptor. A descriptor that is being sent through a socket (SCM_RIGHTS) is in no table; only their count is
 * known (fdinfo).
 * @param devices `st_dev` of the disk and of the overlays over it.
 */
export async function measureUnlinkedFiles(
  pids: readonly number[],
  devices: readonly number[],
): Promise<UnlinkedFiles> {
  const found = new Map<number, number>();
  const sockets = new Map<number, number>();
  let unseen = 0;
  let looked = 0;
  const note = (stat: Stats): void => {
    if (stat.nlink === 0 && devices.includes(stat.dev)) found.set(stat.ino, stat.blocks * BLOCK_BYTES);
  };
  for (const pid of pids) {
    for (const thread of threadsOf(pid)) {
      const folder = `/proc/${pid}/task/${thread}`;
      const names = entriesOf(`${folder}/fd`);
      if (names === null) unseen += OF_CLOSED_PROCESS;
      for (const name of names ?? []) {
        const stat = statOf(`${folder}/fd/${name}`);
        if (stat?.isSocket() === true) sockets.set(stat.ino, inFlight(`${folder}/fdinfo/${name}`));
        else if (stat !== null) note(stat);
        if (++looked % AT_ONCE === 0) await turn();
      }
    }
    for (const [inode, path] of mappedWithoutName(pid)) {
      if (found.has(inode)) continue;
      const stat = statOf(path);
      if (stat !== null) note(stat);
      else if (isThere(path)) unseen += 1;
      if (++looked % AT_ONCE === 0) await turn();
    }
  }
  for (const count of sockets.values()) unseen += count;
  return { bytes: [...found.values()].reduce((sum, one) => sum + one, 0), unseen };
}

/** Empty when the process has ended, null when it cannot be inspected. */
function entriesOf(folder: string): string[] | null {
  try {
    return readdirSync(folder);
  } catch (error) {
    return errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM' ? null : [];
  }
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null; // closed meanwhile, or not permitted
  }
}

/** Only root can follow links of map_files. Everybody can see that a link exists. */
function isThere(path: string): boolean {
  try {
    readlinkSync(path);
    return false; // unmapped between the two checks
  } catch (error) {
    return errorCode(error) === 'EPERM' || errorCode(error) === 'EACCES';
  }
}

function inFlight(fdinfo: string): number {
  return Number(/^scm_fds:\s+(\d+)/m.exec(textOf(fdinfo))?.[1] ?? 0);
}

/** Maps the inode of each deleted mapped file to its path in map_files: lines of proc_pid_maps(5). */
function mappedWithoutName(pid: number): Map<number, string> {
  const found = new Map<number, string>();
  const maps = textOf(`/proc/${pid}/maps`);
  if (!maps.includes(' (deleted)\n')) return found;
  // Paths that begin like this exist in memory only.
  for (const [, range, inode] of maps.matchAll(
    /^(\S+) \S+ \S+ \S+ (\d+) +(?!\/memfd:|\/SYSV|\/dev\/).* \(deleted\)$/gm,
  ))
    found.set(Number(inode), `/proc/${pid}/map_files/${range}`);
  return found;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
