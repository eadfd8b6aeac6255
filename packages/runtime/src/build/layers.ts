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
  /** Epoch milliseconds of its making, or of the last build that used it. */
  touchedAt: number;
}

/** The layers on the disk of a worker. */
export interface LayerStore {
  list(): Promise<LayerOnDisk[]>;
  /** Takes a layer out of use; it is installed again when a version needs it. `at` in epoch milliseconds. */
  purge(layer: string, at: number): Promise<void>;
  /**
   * Installs a layer again from the hashes that it was made of. Returns the reason when that fails; the old layer then
   * stays.
   */
  rebuild(layer: string, at: number): Promise<string | null>;
  /** Removes the files of layers that were purged before this time (epoch milliseconds). */
  removePurged(before: number): Promise<void>;
}

const KEY = /^[0-9a-f]{40}$/;
const PURGED = /^(\d{13,})-/;

/** Lists the layers of a runtime folder. A layer without a record of its packages (an old one) has none. */
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

/** Marks a layer as used by a build, so that it is not removed before its version is recorded. */
export async function touchLayer(runtimeDir: string, layer: string): Promise<void> {
  const now = new Date();
  await utimes(join(runtimeDir, layer), now, now);
}

/**
 * Takes a layer out of use. Sandboxes that have it go on using it. So {@link removePurged} removes its files later,
 * when nothing that began before `now` (epoch milliseconds) is left. Returns its new path, or null when it is gone.
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

/** Removes layers that were purged before this time (epoch milliseconds). */
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
