import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import { pythonReleases, type PythonRelease } from './catalog.ts';

/** An interpreter on the disk of this machine. */
export interface InstalledPython {
  /** For example `3.12`. */
  version: string;
  /** For example `3.12.1`. */
  release: string;
  /** The ABI and platform that compiled packages must fit. */
  platform: string;
  /** Holds `bin` and `lib`. Mounted as `/python`. */
  home: string;
  /** Its own pip as a folder. Null when it has none, and the root's pip is used. */
  pip: { version: string; path: string } | null;
}

/** The record beside `home`. */
export interface PythonRecord {
  release: string;
  platform: string;
  pip: string | null;
  sha256: string;
  url: string;
}

/** Part of the folder's name. Raise it when the same file should be unpacked in another way. */
const FORM = '1';

/** The folder of an interpreter. Another archive gets another folder. */
export function pythonFolder(runtimeDir: string, { release, sha256 }: PythonRelease): string {
  return join(runtimeDir, 'pythons', `${release}-${sha256.slice(0, 12)}-${FORM}`);
}

/** The interpreter of a version such as `3.12`, or null when it is not installed. */
export function installedPython(runtimeDir: string, version: string): InstalledPython | null {
  const known = pythonReleases().find((one) => one.version === version);
  if (known === undefined) return null;
  const folder = pythonFolder(runtimeDir, known);
  try {
    const { release, platform, pip } = JSON.parse(readFileSync(join(folder, 'python.json'), 'utf8')) as PythonRecord;
    const own = pip === null ? null : { version: pip, path: join(folder, 'pip') };
    return { version, release, platform, home: join(folder, 'home'), pip: own };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The installed versions, for the operator. */
export function installedPythons(runtimeDir: string): InstalledPython[] {
  if (!existsSync(join(runtimeDir, 'pythons'))) return [];
  return pythonReleases().flatMap(({ version }) => installedPython(runtimeDir, version) ?? []);
}
