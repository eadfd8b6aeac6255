import { readFileSync, readdirSync, readlinkSync, statSync, type Stats } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { errorCode } from '../errors.ts';
import { threadsOf } from './usage.ts';

/** Files that no folder shows any more, and that processes keep by having them open or in their memory. */
export interface HeldFiles {
  bytes: number;
  /** Files that are certainly held, but whose size nobody can see: on their way through a socket, or of a closed process. */
  unseen: number;
}

/** So many files are looked at before others have their turn: 5 µs each. */
const AT_ONCE = 200;
/** A process that lets nobody look may have this many files open: its limit. */
const OF_CLOSED_PROCESS = 1_024;
const BLOCK_BYTES = 512;

/**
 * Measures files without a name on one disk. Each thread may have descriptors of its own, a mapping keeps a file without
 * any, and a descriptor on its way through a socket (SCM_RIGHTS) is in no table: only their count is known (fdinfo).
 * @param devices `st_dev` of the disk, and of what is laid over it.
 */
export async function heldFiles(pids: readonly number[], devices: readonly number[]): Promise<HeldFiles> {
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

/** None when it is gone, null when it lets nobody look. */
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
    return null; // closed meanwhile, or not for us
  }
}

/** Only root follows links of map_files; that one exists, everybody sees. */
function isThere(path: string): boolean {
  try {
    readlinkSync(path);
    return false; // unmapped between the two questions
  } catch (error) {
    return errorCode(error) === 'EPERM' || errorCode(error) === 'EACCES';
  }
}

function inFlight(fdinfo: string): number {
  return Number(/^scm_fds:\s+(\d+)/m.exec(textOf(fdinfo))?.[1] ?? 0);
}

/** Inode and place of each mapped file that was deleted: lines of proc_pid_maps(5). */
function mappedWithoutName(pid: number): Map<number, string> {
  const found = new Map<number, string>();
  const maps = textOf(`/proc/${pid}/maps`);
  if (!maps.includes(' (deleted)\n')) return found;
  // Paths that begin like this are memory only.
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
