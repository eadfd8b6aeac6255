import path from 'node:path';
import { isThere } from './manifest-content.ts';
import { manifestNames } from './manifest.ts';

/** The nearest folder upwards with `kethub.json`, or a file that replaces it. Null when there is none. */
export async function findProject(folder: string): Promise<string | null> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (await isProject(at)) return at;
    if (path.dirname(at) === at) return null;
  }
}

/** Returns whether the folder itself has `kethub.json`, or a file that replaces it. */
export async function isProject(folder: string): Promise<boolean> {
  for (const name of manifestNames) if (await isThere(path.join(folder, name))) return true;
  return false;
}
