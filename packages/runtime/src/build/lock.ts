import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import type { HostPython } from './host-python.ts';

/** The Python and the packages that a service runs with. */
export interface EnvironmentLock {
  /** SHA-256 of the whole lock. */
  digest: string;
  python: string;
  platform: string;
  /** Sorted by name. The digest covers the list of its files with their hashes (RECORD of the wheel). */
  packages: { name: string; version: string; digest: string }[];
}

/** The image that a service runs in. */
export interface ImageLock {
  /** SHA-256 of its configuration, which names its layers by their hashes. */
  digest: string;
  /** Its id: `sha256:` and the digest. */
  image: string;
  /** For example `linux/amd64`. */
  platform: string;
}

const DIST_INFO = /^(.+)-([^-]+)\.dist-info$/;

/** Lists the packages that pip has put into a layer. `layer` is its folder, or null without requirements. */
export async function readLock(layer: string | null, { version, platform }: HostPython): Promise<EnvironmentLock> {
  const packages: EnvironmentLock['packages'] = [];
  for (const folder of layer === null ? [] : (await readdir(layer)).toSorted()) {
    const [, name, packageVersion] = DIST_INFO.exec(folder) ?? [];
    if (name === undefined || packageVersion === undefined || layer === null) continue;
    packages.push({ name, version: packageVersion, digest: sha256(await recordOf(join(layer, folder))) });
  }
  const content = { python: version, platform, packages };
  return { digest: sha256(JSON.stringify(content)), ...content };
}

async function recordOf(distInfo: string): Promise<string> {
  try {
    return await readFile(join(distInfo, 'RECORD'), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
