import { existsSync, readdirSync, readlinkSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../errors.ts';
import { MOUNT, numberIn, removeAll } from '../sandbox/cgroups.ts';
import type { Container } from './container.ts';

/** Usage of one container. */
export interface Usage {
  cpuMs: number | null;
  peakMemoryBytes: number | null;
  /** Set when the engine has measured it. */
  measuredBy?: 'ENGINE';
}

export interface Meter {
  /** Called when the container runs. */
  begin(): void;
  /** Called when the container has ended. */
  read(): Usage;
  /** Called when the container is removed. */
  remove(): Promise<void>;
}

/** The initial cgroup namespace, in which engines run: include/linux/proc_ns.h. */
const FIRST_NAMESPACE = 'cgroup:[4026531835]';
/** Milliseconds between two questions to the engine. */
const ASK_MS = 1_000;
/** Nanoseconds in a millisecond. */
const NANOSECONDS = 1e6;

/** Cgroups of ours around containers. Each counts the usage of its container and outlives it. */
export class CgroupsAround {
  readonly #top: string;

  constructor(mark: string) {
    this.#top = `/kethub-${mark}-containers`;
  }

  /** Path of the cgroup around one container. Null where the engine would make it out of our sight. */
  pathFor(attempt: string): string | null {
    if (process.getuid?.() !== 0 || !existsSync(MOUNT)) return null;
    return readlinkSync('/proc/self/ns/cgroup') === FIRST_NAMESPACE ? `${this.#top}/${attempt}` : null;
  }

  /** Removes the cgroups that are not in use, and kills what is in them. */
  async sweep(inUse: ReadonlySet<string>): Promise<void> {
    for (const folder of everywhere(this.#top).filter((one) => existsSync(one)))
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (entry.isDirectory() && !inUse.has(`${this.#top}/${entry.name}`))
          await removeAll([join(folder, entry.name)]);
  }

  /** Sweeps, and removes the parent cgroup when it is empty. */
  async close(inUse: ReadonlySet<string>): Promise<void> {
    await this.sweep(inUse);
    for (const folder of everywhere(this.#top)) {
      try {
        rmdirSync(folder);
      } catch (error) {
        if (!['ENOENT', 'EBUSY', 'ENOTEMPTY'].includes(errorCode(error) ?? '')) throw error;
      }
    }
  }
}

/** @param path the cgroup around the container. Where it does not exist, the engine measures. */
export function meterOf(container: Container, path: string | null): Meter {
  const ofEngine = engineMeter(container);
  if (path === null) return ofEngine;
  const isThere = (): boolean => everywhere(path).some((folder) => existsSync(folder));
  return {
    begin() {
      if (!isThere()) ofEngine.begin();
    },
    read: () => (isThere() ? readCgroup(path) : ofEngine.read()),
    remove: async () => removeAll(everywhere(path)),
  };
}

function readCgroup(path: string): Usage {
  const at = (controller: string, file: string): string => join(MOUNT, controller, path, file);
  const microseconds = numberIn(at('', 'cpu.stat'), /usage_usec (\d+)/);
  const nanoseconds = numberIn(at('cpuacct', 'cpuacct.usage'), /^(\d+)/);
  return {
    cpuMs: microseconds === null ? inMs(nanoseconds) : Math.round(microseconds / 1_000),
    peakMemoryBytes:
      numberIn(at('', 'memory.peak'), /^(\d+)/) ?? numberIn(at('memory', 'memory.max_usage_in_bytes'), /^(\d+)/),
  };
}

/** Asks the engine each second while the container runs. Usage after the last answer is not counted. */
function engineMeter(container: Container): Meter {
  let usage: Usage = { cpuMs: null, peakMemoryBytes: null };
  const ended = new AbortController();
  let begun = false;
  const follow = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const stats = await container.stats();
      if (stats === null) return;
      const memory = Math.max(usage.peakMemoryBytes ?? 0, stats.memoryBytes);
      if (stats.cpuNs > 0 && !ended.signal.aborted)
        usage = { cpuMs: inMs(stats.cpuNs), peakMemoryBytes: memory, measuredBy: 'ENGINE' };
      await pause(ASK_MS, null, { ref: false });
    }
  };
  return {
    begin() {
      if (begun) return;
      begun = true;
      void follow();
    },
    read() {
      ended.abort();
      return usage;
    },
    remove: () => Promise.resolve(),
  };
}

function inMs(nanoseconds: number | null): number | null {
  return nanoseconds === null ? null : Math.round(nanoseconds / NANOSECONDS);
}

/** A path in each cgroup hierarchy: version 2 has one, version 1 has one per controller. */
function everywhere(path: string): string[] {
  if (existsSync(join(MOUNT, 'cgroup.controllers'))) return [join(MOUNT, path)];
  return readdirSync(MOUNT).map((controller) => join(MOUNT, controller, path));
}
