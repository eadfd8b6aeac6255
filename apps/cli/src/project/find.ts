import { access } from 'node:fs/promises';
import path from 'node:path';
import { manifestName } from './manifest.ts';

/** The folder with `kethub.json` that this one is in, or null. */
export async function findProject(folder: string): Promise<string | null> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (await isProject(at)) return at;
    if (path.dirname(at) === at) return null;
  }
}

/** Whether `kethub.json` is in the folder itself. */
export function isProject(folder: string): Promise<boolean> {
  return access(path.join(folder, manifestName)).then(
    () => true,
    () => false,
  );
}
