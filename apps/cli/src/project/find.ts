import { access } from 'node:fs/promises';
import path from 'node:path';
import { manifestName } from './manifest.ts';

/** The folder with `kethub.json` that this one is in, or null. */
export async function findProject(folder: string): Promise<string | null> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const there = await access(path.join(at, manifestName)).then(
      () => true,
      () => false,
    );
    if (there) return at;
    if (path.dirname(at) === at) return null;
  }
}
