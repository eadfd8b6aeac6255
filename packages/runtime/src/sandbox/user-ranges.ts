import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../errors.ts';
import { takeLock } from '../runner/lock.ts';

/** Users of the host for the sandboxes of one data folder. */
export interface UserRange {
  first: number;
  count: number;
  /** Releases the lock, which otherwise lasts until the process ends. */
  release(): void;
}

/** Locks by which the runners of a machine agree. The folder is empty after a boot, when no sandbox lives. */
const LOCKS = '/run/kethub/users';
const RECORD = 'users';
const COUNT = 10_000;
/** Far above the user ids that machines give to people. Only root can switch to these. */
const FIRST = 200_000;
const RANGES = 200;
/** Used inside a container that has a small range of users. */
const FIRST_IN_SMALL = 20_000;
const RANGES_IN_SMALL = 4;

/**
 * Takes 10,000 users that no other runner of this machine has, and that no person has for containers (`/etc/subuid`).
 * It prefers the range that the data folder had before, according to its record. Machines that share users but not
 * `/run` (two containers) do not see each other's locks. There a hash of the data folder decides where its range
 * begins.
 * @throws when all are taken.
 */
export function takeUserRange(runtimeDir: string | null, locks: string = LOCKS): UserRange {
  const firsts = candidates();
  const recorded = runtimeDir === null ? null : readRecord(runtimeDir);
  const byChance = Number.parseInt(
    createHash('sha256')
      .update(runtimeDir ?? '')
      .digest('hex')
      .slice(0, 8),
    16,
  );
  const at = byChance % firsts.length;
  const ordered = [...firsts.slice(at), ...firsts.slice(0, at)];
  for (const first of recorded !== null && firsts.includes(recorded) ? [recorded, ...ordered] : ordered) {
    const lock = lockOf(locks, first);
    if (lock === null) continue;
    if (runtimeDir !== null) writeFileSync(join(runtimeDir, RECORD), `${first}\n`, { mode: 0o600 });
    return { first, count: COUNT, release: lock.release };
  }
  throw new Error(
    `All ${firsts.length} ranges of users for sandboxes are taken by other data folders of this machine.`,
  );
}

function lockOf(locks: string, first: number): { release(): void } | null {
  try {
    mkdirSync(locks, { recursive: true, mode: 0o711 });
    return takeLock(join(locks, String(first)));
  } catch (error) {
    console.error(
      `users of sandboxes may be those of another data folder: ${locks} cannot be used: ${messageOf(error)}`,
    );
    return { release: () => undefined };
  }
}

function readRecord(runtimeDir: string): number | null {
  try {
    return Number(readFileSync(join(runtimeDir, RECORD), 'utf8'));
  } catch {
    return null; // a new data folder
  }
}

/** First users of ranges that exist here and are given to nobody else. */
function candidates(): number[] {
  const given = [...rangesIn('/etc/subuid'), ...rangesIn('/etc/subgid')];
  const free = (first: number): boolean =>
    given.every(([from, count]) => first + COUNT <= from || from + count <= first);
  const mapped = mappedUsers();
  const inside = (first: number): boolean =>
    mapped.some(([from, count]) => from <= first && first + COUNT <= from + count);
  const all = Array.from({ length: RANGES }, (_, index) => FIRST + index * COUNT).filter((first) => inside(first));
  const small = Array.from({ length: RANGES_IN_SMALL }, (_, index) => FIRST_IN_SMALL + index * COUNT);
  const some = all.length > 0 ? all : small;
  const unused = some.filter(free);
  return unused.length > 0 ? unused : some;
}

/** Lines of user_namespaces(7): first inside, first outside, count. */
function mappedUsers(): [number, number][] {
  return readFileSync('/proc/self/uid_map', 'latin1')
    .split('\n')
    .flatMap((line): [number, number][] => {
      const [from, , count] = line.trim().split(/\s+/).map(Number);
      return from === undefined || count === undefined ? [] : [[from, count]];
    });
}

/** Lines of subuid(5): user, first, count. */
function rangesIn(file: string): [number, number][] {
  try {
    return readFileSync(file, 'latin1')
      .split('\n')
      .flatMap((line): [number, number][] => {
        const [, from, count] = line.split(':').map(Number);
        return from === undefined || count === undefined || Number.isNaN(from + count) ? [] : [[from, count]];
      });
  } catch {
    return []; // this machine assigns none
  }
}
