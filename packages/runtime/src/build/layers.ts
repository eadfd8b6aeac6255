import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import { bytesOf, removeTree } from './folders.ts';
import { LAYER_RECORD } from './layer.ts';
import type { Resolved } from './resolve.ts';

/** A layer on the disk of this machine. */
export interface LayerOnDisk extends Resolved {
  /** `layers/<key>`, relative to the runtime folder. */
  layer: string;
  bytes: number;
  /** Epoch milliseconds: when it was made or last taken by a build. */
  touchedAt: number;
}

/** The layers on the disk of a worker. */
export interface LayerStore {
  list(): Promise<LayerOnDisk[]>;
  /** Takes a layer out of use; it is installed again when a version needs it. `at` in epoch milliseconds. */
  purge(layer: string, at: number): Promise<void>;
  /** Installs a layer anew from the hashes that it was made of. Returns why it could not be; it stays as it was then. */
  rebuild(layer: string, at: number): Promise<string | null>;
  /** Removes the files of what was purged before this moment (epoch milliseconds). */
  removePurged(before: number): Promise<void>;
}

const KEY = /^[0-9a-f]{40}$/;
const PURGED = /^(\d{13,})-/;

/** Lists the layers of a runtime folder. One that was made before what was resolved was kept has no packages. */
export async function listLayers(runtimeDir: string): Promise<LayerOnDisk[]> {
  const layers: LayerOnDisk[] = [];
  for (const key of await namesIn(join(runtimeDir, 'layers'))) {
    if (!KEY.test(key)) continue;
    const folder = join(runtimeDir, 'layers', key);
    try {
      const { mtimeMs } = await stat(folder);
      layers.push({ layer: `layers/${key}`, touchedAt: mtimeMs, ...(await recordOf(folder)) });
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  return layers;
}

/** Notes that a build has just taken a layer, so that it is not removed before its version is known to need it. */
export async function touchLayer(runtimeDir: string, layer: string): Promise<void> {
  const now = new Date();
  await utimes(join(runtimeDir, layer), now, now);
}

/**
 * Takes a layer out of use. Sandboxes that have it go on with it, so its files are removed by {@link removePurged} only,
 * once nothing is left that began before `now` (epoch milliseconds). Returns where it lies now, or null when it is gone.
 */
export async function purgeLayer(runtimeDir: string, layer: string, now: number): Promise<string | null> {
  const purged = join(runtimeDir, 'purged', `${now}-${randomUUID()}`);
  await mkdir(join(runtimeDir, 'purged'), { recursive: true, mode: 0o711 });
  try {
    await rename(join(runtimeDir, layer), purged);
    return purged;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Removes what was purged before this moment (epoch milliseconds). */
export async function removePurged(runtimeDir: string, before: number): Promise<void> {
  for (const name of await namesIn(join(runtimeDir, 'purged')))
    if (Number(PURGED.exec(name)?.[1] ?? 0) < before) await removeTree(join(runtimeDir, 'purged', name));
}

async function recordOf(folder: string): Promise<Resolved & { bytes: number }> {
  try {
    return JSON.parse(await readFile(join(folder, LAYER_RECORD), 'utf8')) as Resolved & { bytes: number };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return { python: '', platform: '', packages: [], bytes: await bytesOf(folder) };
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
