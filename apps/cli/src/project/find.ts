import { access } from 'node:fs/promises';
import path from 'node:path';
import { manifestNames } from './manifest.ts';

/** The folder with `kethub.json`, or what stands for it, that this one is in, or null. */
export async function findProject(folder: string): Promise<string | null> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (await isProject(at)) return at;
    if (path.dirname(at) === at) return null;
  }
}

/** Whether `kethub.json`, or what stands for it, is in the folder itself. */
export async function isProject(folder: string): Promise<boolean> {
  for (const name of manifestNames) if (await isThere(path.join(folder, name))) return true;
  return false;
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
