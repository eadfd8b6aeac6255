import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../errors.ts';
import type { RunnerPaths } from '../paths.ts';
import { openCgroups, type CgroupTree } from '../sandbox/cgroups.ts';
import { installedPython, mountsOfPython } from '../pythons/index.ts';
import type { Mount } from '../sandbox/bwrap.ts';
import type { SandboxContext } from '../sandbox/launch.ts';
import { EgressProxies } from '../egress/proxies.ts';
import { prepareRoot, type SandboxRoot } from '../sandbox/root.ts';
import { sweepSandboxes } from '../sandbox/sweep.ts';
import { PYTHON_SIDE } from '../version.ts';
import { Identities } from '../sandbox/identities.ts';
import { takeUserRange } from '../sandbox/user-ranges.ts';
import { Views } from '../sandbox/views.ts';
import { discard } from './discard.ts';
import { WorkFolders } from './work-folders.ts';
import { OutputGuards } from './output-guard.ts';

/** State that all sandboxes and containers of this runner share. */
export interface RunnerContext extends SandboxContext {
  paths: RunnerPaths;
  identities: Identities;
  workFolders: WorkFolders;
  guards: OutputGuards;
  limitedBy: 'CGROUPS_V2' | 'CGROUPS_V1' | 'RLIMITS';
  /** Hash of the runner's own code. */
  version: string;
  /**
   * The path by which the user of a sandbox reaches one of our folders.
   * @throws when the folder does not exist.
   */
  reachable(path: string): string;
  proxies: EgressProxies;
  /**
   * Mounts that give a sandbox another Python than that of the root; none when it is the same.
   * @throws when that Python is not installed.
   */
  pythonMounts(version: string | undefined): { mounts: Mount[]; standard: string[] };
  /** Makes the next sandboxes from the root that is current now. */
  renewRoot(): void;
  close(): Promise<void>;
}

/**
 * Clears what an earlier runner of this data folder left (processes, cgroups, folders) and prepares the rest.
 * @param floor bytes that stay free on the disk; null for the default.
 * @param mountPoint a second mount of `<dataDir>/runtime`, for users that may not pass through its parent folders; or
 * null.
 */
export async function prepareRunnerContext(
  paths: RunnerPaths,
  mountPoint: string | null,
  version: string,
  floor: () => number | null,
): Promise<RunnerContext> {
  const cgroups = await openTree(paths);
  await sweepSandboxes(paths.mark);
  const left = [paths.workFolders, paths.spare, join(paths.runtimeDir, 'views')];
  for (const dir of left) rmSync(dir, { recursive: true, force: true });
  for (const dir of [paths.workFolders, paths.trash, paths.spare]) mkdirSync(dir, { recursive: true, mode: 0o711 });
  for (const name of readdirSync(paths.trash)) discard(`${paths.trash}/${name}`);
  const reachable = (path: string): string => {
    const real = realpathSync(path);
    const inside = real === paths.runtimeDir || real.startsWith(`${paths.runtimeDir}/`);
    return mountPoint !== null && inside ? mountPoint + real.slice(paths.runtimeDir.length) : real;
  };
  const rootOf = (sweep: boolean): SandboxRoot => {
    const root = prepareRoot(paths, PYTHON_SIDE, sweep);
    const masks = root.masks.map(({ from, to }) => ({ from: reachable(from), to }));
    return { ...root, masks, dir: reachable(root.dir), usr: reachable(root.usr) };
  };
  const identities = new Identities(process.getuid?.() === 0 ? takeUserRange(paths.runtimeDir) : null);
  const context: RunnerContext = {
    views: new Views(mountPoint === null ? null : `${mountPoint}/views`),
    paths,
    root: rootOf(true),
    renewRoot() {
      context.root = rootOf(false);
    },
    cgroups,
    identities,
    workFolders: new WorkFolders(paths, identities.areSeparate),
    guards: new OutputGuards(paths.workFolders, floor),
    pythonMounts(version) {
      const { dir, usr, standard } = context.root;
      if (version === undefined || version === context.root.python) return { mounts: [], standard };
      const python = installedPython(paths.runtimeDir, version);
      if (python === null) throw new Error(`Python ${version} is not installed on this machine.`);
      const { mounts, standard: library } = mountsOfPython(python, { rootDir: dir, usr, runner: `${dir}/runner` });
      const shown = mounts.map(({ from, to }) => ({
        from: reachable(from),
        to,
        writable: false,
        overlay: 'KEPT' as const,
      }));
      return { mounts: shown, standard: library };
    },
    proxies: new EgressProxies(`${paths.runtimeDir}/proxies`, identities.take(), reachable),
    limitedBy: cgroups?.kind ?? 'RLIMITS',
    version,
    reachable,
    async close() {
      context.proxies.close();
      await cgroups?.remove();
      // The asynchronous rm tolerates that some of these folders are being deleted at the same time.
      await rm(paths.workFolders, { recursive: true, force: true, maxRetries: 10, retryDelay: 10 });
    },
  };
  return context;
}

async function openTree(paths: RunnerPaths): Promise<CgroupTree | null> {
  const cgroups = openCgroups(paths.mark);
  if ('unavailable' in cgroups) {
    console.error(`no cgroups, limits hold per process only: ${cgroups.unavailable}`);
    return null;
  }
  await cgroups.sweep();
  return cgroups;
}

/** Removes the folder in the host's `/run`. Its mount exists in our namespace only and ends with us. */
export function removeMountPoint(mountPoint: string): void {
  const unmounted = spawnSync('umount', ['--lazy', mountPoint], { encoding: 'utf8' });
  if (unmounted.status !== 0) {
    console.error(`${mountPoint} could not be unmounted: ${unmounted.error?.message ?? unmounted.stderr}`);
    return;
  }
  try {
    rmdirSync(mountPoint);
  } catch (error) {
    console.error(`${mountPoint} stays: ${messageOf(error)}`);
  }
}
