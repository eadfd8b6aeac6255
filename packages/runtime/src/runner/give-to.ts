import { lchownSync, readdirSync } from 'node:fs';

/** Makes a user the owner of a copy of a data pool. The platform made the copy, and no program has seen it yet. */
export function giveTo(uid: number, folder: string): void {
  for (const name of readdirSync(folder)) lchownSync(`${folder}/${name}`, uid, uid);
  lchownSync(folder, uid, uid);
}
