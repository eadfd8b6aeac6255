import { existsSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';

/** A root that we built: Python, a few commands and their libraries, from packages of Debian. */
export interface OwnRoot {
  /** Hash of its packages. */
  id: string;
  /** Mounted as `/usr`. */
  usr: string;
  /** For example `3.11`. */
  python: string;
  /** The ABI and platform that compiled packages must fit. */
  platform: string;
  /** A wheel of pip in it. */
  pip: { version: string; path: string };
}

/** The record beside `usr`. A folder with one is a complete root. */
export interface OwnRootRecord {
  id: string;
  python: string;
  platform: string;
  /** Name of the wheel in `usr/share/python-wheels`. */
  pip: string;
  /** Names of the packages with version and architecture. */
  packages: string[];
}

const RECORD = 'root.json';

/** The folder of the roots of a data folder. Each is named by its id; `current` is a link to one of them. */
export function rootsIn(runtimeDir: string): string {
  return join(runtimeDir, 'roots');
}

/** The root of new sandboxes, or null when there is none yet. */
export function currentRoot(runtimeDir: string): OwnRoot | null {
  const roots = rootsIn(runtimeDir);
  try {
    const dir = join(roots, readlinkSync(join(roots, 'current')));
    const record = JSON.parse(readFileSync(join(dir, RECORD), 'utf8')) as OwnRootRecord;
    const { id, python, platform, pip } = record;
    const path = join(dir, 'usr/share/python-wheels', pip);
    return { id, usr: join(dir, 'usr'), python, platform, pip: { version: pip.split('-')[1] ?? '', path } };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Makes this root the one of new sandboxes. It must exist. */
export function makeCurrent(roots: string, id: string): void {
  if (!existsSync(join(roots, id, RECORD))) throw new Error(`There is no root ${id} in ${roots}.`);
  const draft = join(roots, `current-${process.pid}`);
  rmSync(draft, { force: true });
  symlinkSync(id, draft);
  renameSync(draft, join(roots, 'current'));
}

export function recordOf(dir: string): string {
  return join(dir, RECORD);
}
