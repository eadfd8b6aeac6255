import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../errors.ts';

export const MOUNT = '/sys/fs/cgroup';

export interface CgroupLimits {
  memoryBytes: number;
  cpus: number;
  processes: number;
}

/** The cgroups of one sandbox: one folder in v2, one per controller in v1. */
export interface Cgroup {
  /**
   * Makes the cgroup and moves a process into it; processes that it starts later are born inside. The kernel waits for
   * an RCU grace period, and blocks all other changes of cgroups meanwhile. Measured: 8 to 24 ms, and 8 of 10 when
   * nothing else happens. So this is asynchronous and best done in advance.
   */
  attach(pid: number): Promise<void>;
  /** Sets the limits. Before this there are none. */
  limit(limits: CgroupLimits): void;
  /** Kills every process in it, also those that left the process group or ignore signals. */
  kill(): void;
  /** Stops every process in it until {@link thaw}. Returns false when the machine cannot freeze cgroups. */
  freeze(): boolean;
  thaw(): boolean;
  isEmpty(): boolean;
  processes(): number[];
  memoryBytes(): number | null;
  peakMemoryBytes(): number | null;
  cpuMs(): number | null;
  outOfMemory(): boolean;
  remove(): Promise<void>;
}

export interface CgroupTree {
  kind: 'CGROUPS_V2' | 'CGROUPS_V1';
  /** Names a cgroup. {@link Cgroup.attach} makes it. */
  create(name: string): Cgroup;
  /** Ends and removes everything below this tree: the leftovers of an earlier runner of this data folder. */
  sweep(): Promise<void>;
  /** Removes the tree itself, which must be empty. */
  remove(): Promise<void>;
}

/** Opens a tree for one data folder, or returns the reason why this machine does not allow it. */
export function openCgroups(mark: string): CgroupTree | { unavailable: string } {
  const parent = `kethub-${mark}`;
  try {
    return existsSync(`${MOUNT}/cgroup.controllers`) ? openV2(parent) : openV1(parent);
  } catch (error) {
    return { unavailable: error instanceof Error ? error.message : String(error) };
  }
}

function openV2(parent: string): CgroupTree {
  const top = `${MOUNT}/${parent}`;
  // systemd has enabled these on most machines. EBUSY inside a container whose own processes are in the root of its
  // namespace.
  writeFileSync(`${MOUNT}/cgroup.subtree_control`, '+memory +cpu +pids');
  mkdirSync(top, { recursive: true });
  writeFileSync(`${top}/cgroup.subtree_control`, '+memory +cpu +pids');
  return {
    kind: 'CGROUPS_V2',
    create(name) {
      const folder = `${top}/${name}`;
      const limit = (limits: CgroupLimits): void => {
        writeFileSync(`${folder}/memory.max`, String(limits.memoryBytes));
        writeIfThere(`${folder}/memory.swap.max`, '0');
        writeFileSync(`${folder}/memory.oom.group`, '1');
        writeFileSync(`${folder}/cpu.max`, `${Math.max(1_000, Math.round(limits.cpus * 100_000))} 100000`);
        writeFileSync(`${folder}/pids.max`, String(limits.processes));
      };
      return group(
        [folder],
        folder,
        limit,
        {
          now: `${folder}/memory.current`,
          peak: `${folder}/memory.peak`,
          events: `${folder}/memory.events`,
        },
        byFreezing(`${folder}/cgroup.freeze`, '1', '0'),
      );
    },
    sweep: async () => sweep([top]),
    remove: async () => removeAll([top]),
  };
}

function openV1(parent: string): CgroupTree {
  for (const controller of ['memory', 'cpu', 'pids']) {
    if (!existsSync(`${MOUNT}/${controller}/cgroup.procs`)) throw new Error(`${MOUNT} has no ${controller} controller`);
  }
  // Beside v1, systemd mounts a v2 hierarchy without controllers. It still has cgroup.kill, cgroup.events and cpu.stat.
  const unified = existsSync(`${MOUNT}/unified/cgroup.procs`);
  const freezer = !unified && existsSync(`${MOUNT}/freezer/cgroup.procs`);
  const controllers = ['memory', 'cpu', 'pids', ...(unified ? ['unified'] : []), ...(freezer ? ['freezer'] : [])];
  const tops = controllers.map((controller) => `${MOUNT}/${controller}/${parent}`);
  for (const top of tops) mkdirSync(top, { recursive: true });
  return {
    kind: 'CGROUPS_V1',
    create(name) {
      const memory = `${MOUNT}/memory/${parent}/${name}`;
      const cpu = `${MOUNT}/cpu/${parent}/${name}`;
      const pids = `${MOUNT}/pids/${parent}/${name}`;
      const folders = tops.map((top) => `${top}/${name}`);
      const limit = (limits: CgroupLimits): void => {
        writeFileSync(`${memory}/memory.limit_in_bytes`, String(limits.memoryBytes));
        writeIfThere(`${memory}/memory.memsw.limit_in_bytes`, String(limits.memoryBytes));
        writeFileSync(`${cpu}/cpu.cfs_quota_us`, String(Math.max(1_000, Math.round(limits.cpus * 100_000))));
        writeFileSync(`${pids}/pids.max`, String(limits.processes));
      };
      return group(
        folders,
        unified ? `${MOUNT}/unified/${parent}/${name}` : pids,
        limit,
        {
          now: `${memory}/memory.usage_in_bytes`,
          peak: `${memory}/memory.max_usage_in_bytes`,
          events: `${memory}/memory.oom_control`,
        },
        unified
          ? byFreezing(`${MOUNT}/unified/${parent}/${name}/cgroup.freeze`, '1', '0')
          : byFreezing(`${MOUNT}/freezer/${parent}/${name}/freezer.state`, 'FROZEN', 'THAWED'),
      );
    },
    sweep: async () => sweep(tops),
    remove: async () => removeAll(tops),
  };
}

function group(
  folders: string[],
  main: string,
  limit: (limits: CgroupLimits) => void,
  memory: { now: string; peak: string; events: string },
  freezing: Freezing,
): Cgroup {
  return {
    async attach(pid) {
      for (const folder of folders) {
        await mkdir(folder);
        await writeFile(`${folder}/cgroup.procs`, String(pid));
      }
    },
    limit,
    kill: () => {
      killAll(main);
      freezing.thaw(); // version 1 kills no frozen process
    },
    ...freezing,
    isEmpty: () => processesOf(main).length === 0,
    processes: () => processesOf(main),
    memoryBytes: () => numberIn(memory.now, /^(\d+)/),
    peakMemoryBytes: () => numberIn(memory.peak, /^(\d+)/),
    cpuMs() {
      const microseconds = numberIn(`${main}/cpu.stat`, /usage_usec (\d+)/);
      return microseconds === null ? null : Math.round(microseconds / 1000);
    },
    outOfMemory: () => (numberIn(memory.events, /oom_kill (\d+)/) ?? 0) > 0,
    remove: async () => removeAll(folders),
  };
}

type Freezing = Pick<Cgroup, 'freeze' | 'thaw'>;

/** cgroup.freeze exists since Linux 5.2. */
function byFreezing(file: string, frozen: string, thawed: string): Freezing {
  const write = (state: string): boolean => {
    try {
      writeFileSync(file, state, { flag: 'r+' });
      return true;
    } catch (error) {
      if (['ENOENT', 'ENODEV', 'EACCES'].includes(errorCode(error) ?? '')) return false;
      throw error;
    }
  };
  return { freeze: () => write(frozen), thaw: () => write(thawed) };
}

/**
 * cgroup.kill exists since Linux 5.14. Before, and in v1, every listed process is killed, and the caller repeats it
 * until none is left.
 */
function killAll(folder: string): void {
  try {
    writeFileSync(`${folder}/cgroup.kill`, '1');
  } catch (error) {
    // ENODEV: the cgroup was removed just now.
    if (!['ENOENT', 'EACCES', 'ENODEV'].includes(errorCode(error) ?? '')) throw error;
    // The kernel lists processes of another PID namespace as 0.
    for (const pid of withNested(folder).flatMap(processesOf)) if (pid > 0) killQuietly(pid);
    for (const one of withNested(folder)) writeIfThere(`${one}/freezer.state`, 'THAWED');
  }
}

/** A cgroup and all below it, the deepest first. */
function withNested(folder: string): string[] {
  return [...foldersIn(folder).flatMap((name) => withNested(`${folder}/${name}`)), folder];
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

function processesOf(folder: string): number[] {
  try {
    return readFileSync(`${folder}/cgroup.procs`, 'utf8').split('\n').filter(Boolean).map(Number);
  } catch (error) {
    if (['ENOENT', 'ENODEV'].includes(errorCode(error) ?? '')) return []; // removed just now

    throw error;
  }
}

export function numberIn(file: string, pattern: RegExp): number | null {
  try {
    const found = pattern.exec(readFileSync(file, 'utf8'))?.[1];
    return found === undefined ? null : Number(found);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null; // memory.peak came with Linux 5.19
    throw error;
  }
}

function writeIfThere(file: string, value: string): void {
  if (existsSync(file)) writeFileSync(file, value);
}

async function sweep(tops: string[]): Promise<void> {
  for (const top of tops) {
    if (!existsSync(top)) continue;
    for (const entry of readdirSync(top, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      killAll(`${top}/${entry.name}`);
      await removeAll([`${top}/${entry.name}`]);
    }
  }
}

/**
 * Removes cgroups with all that processes have made below them, and kills what is in them. A cgroup is busy for some
 * milliseconds after the kill, until the kernel has reaped its last process.
 */
export async function removeAll(folders: string[]): Promise<void> {
  for (const folder of folders) {
    for (let attempt = 0; ; attempt++) {
      try {
        if (attempt === 0) await rmdir(folder);
        else for (const one of withNested(folder)) await rmdir(one);
        break;
      } catch (error) {
        if (errorCode(error) === 'ENOENT' && !existsSync(folder)) break;
        if (!['EBUSY', 'ENOENT'].includes(errorCode(error) ?? '') || attempt >= 200) throw error;
        if (attempt > 0) killAll(folder);
        await pause(Math.min(25, 2 + attempt));
      }
    }
  }
}
