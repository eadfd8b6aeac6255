import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../errors.ts';
import type { Places } from '../places.ts';
import { openCgroups, type CgroupTree } from '../sandbox/cgroups.ts';
import { installedPython, mountsOfPython } from '../pythons/index.ts';
import type { Mount } from '../sandbox/bwrap.ts';
import type { Ground } from '../sandbox/launch.ts';
import { Doors } from '../egress/doors.ts';
import { prepareRoot, type SandboxRoot } from '../sandbox/root.ts';
import { sweepSandboxes } from '../sandbox/sweep.ts';
import { PYTHON_SIDE } from '../version.ts';
import { discard } from './discard.ts';
import { Nests } from './nests.ts';
import { OutputGuards } from './output-guard.ts';
import { Identities } from '../sandbox/identities.ts';
import { takeUserRange } from '../sandbox/user-ranges.ts';
import { Views } from '../sandbox/views.ts';

/** All that sandboxes of this runner stand on. */
export interface RunnerGround extends Ground {
  places: Places;
  identities: Identities;
  nests: Nests;
  guards: OutputGuards;
  limitedBy: 'CGROUPS_V2' | 'CGROUPS_V1' | 'RLIMITS';
  /** Hash of the runner's own code. */
  version: string;
  /** The path under which the user of a sandbox reaches a folder of ours. @throws when there is none at that path. */
  reachable(path: string): string;
  doors: Doors;
  /** What gives a sandbox another Python than that of the root; nothing where it is the same. @throws when it is not installed. */
  pythonMounts(version: string | undefined): { mounts: Mount[]; standard: string[] };
  /** Makes new sandboxes of the root that is current now. */
  renewRoot(): void;
  close(): Promise<void>;
}

/**
 * Clears what an earlier runner of this data folder left (processes, cgroups, folders) and prepares the rest.
 * @param floor bytes that stay free on the disk; null for the usual.
 * @param passage where `<dataDir>/runtime` is also mounted for users that may not pass through its parents, or null.
 */
export async function prepareGround(
  places: Places,
  passage: string | null,
  version: string,
  floor: () => number | null,
): Promise<RunnerGround> {
  const cgroups = await openTree(places);
  await sweepSandboxes(places.mark);
  for (const dir of [places.nests, join(places.runtimeDir, 'views')]) rmSync(dir, { recursive: true, force: true });
  for (const dir of [places.nests, places.trash]) mkdirSync(dir, { recursive: true, mode: 0o711 });
  for (const name of readdirSync(places.trash)) discard(`${places.trash}/${name}`);
  const reachable = (path: string): string => {
    const real = realpathSync(path);
    const inside = real === places.runtimeDir || real.startsWith(`${places.runtimeDir}/`);
    return passage !== null && inside ? passage + real.slice(places.runtimeDir.length) : real;
  };
  const rootOf = (sweep: boolean): SandboxRoot => {
    const root = prepareRoot(places, PYTHON_SIDE, sweep);
    const masks = root.masks.map(({ from, to }) => ({ from: reachable(from), to }));
    return { ...root, masks, dir: reachable(root.dir), usr: reachable(root.usr) };
  };
  const identities = new Identities(process.getuid?.() === 0 ? takeUserRange(places.runtimeDir) : null);
  const ground: RunnerGround = {
    views: new Views(passage === null ? null : `${passage}/views`),
    places,
    root: rootOf(true),
    renewRoot() {
      ground.root = rootOf(false);
    },
    cgroups,
    identities,
    nests: new Nests(places),
    guards: new OutputGuards(places.nests, floor),
    pythonMounts(version) {
      const { dir, usr, standard } = ground.root;
      if (version === undefined || version === ground.root.python) return { mounts: [], standard };
      const python = installedPython(places.runtimeDir, version);
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
    doors: new Doors(`${places.runtimeDir}/doors`, identities.take(), reachable),
    limitedBy: cgroups?.kind ?? 'RLIMITS',
    version,
    reachable,
    async close() {
      ground.doors.close();
      await cgroups?.remove();
      // Some of them are being deleted already; the synchronous one does not get on with that.
      await rm(places.nests, { recursive: true, force: true, maxRetries: 10, retryDelay: 10 });
    },
  };
  return ground;
}

async function openTree(places: Places): Promise<CgroupTree | null> {
  const cgroups = openCgroups(places.mark);
  if ('unavailable' in cgroups) {
    console.error(`no cgroups, limits hold per process only: ${cgroups.unavailable}`);
    return null;
  }
  await cgroups.sweep();
  return cgroups;
}

/** Removes the place in the host's `/run`; the mount itself exists in our namespace only and ends with us. */
export function removePassage(passage: string): void {
  const unmounted = spawnSync('umount', ['--lazy', passage], { encoding: 'utf8' });
  if (unmounted.status !== 0) {
    console.error(`${passage} could not be unmounted: ${unmounted.error?.message ?? unmounted.stderr}`);
    return;
  }
  try {
    rmdirSync(passage);
  } catch (error) {
    console.error(`${passage} stays: ${messageOf(error)}`);
  }
}
