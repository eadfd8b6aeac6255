import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** A file of a package. */
export interface PackagedFile {
  /** Path in the package, with slashes. */
  readonly name: string;
  readonly content: Buffer;
  readonly executable: boolean;
}

/** The files below a folder, sorted by name, so that the same content always makes the same package. */
export function filesBelow(folder: string): PackagedFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(path.join(folder, name)).isFile())
    .map((name) => ({
      name: name.replaceAll(path.sep, '/'),
      content: readFileSync(path.join(folder, name)),
      executable: (statSync(path.join(folder, name)).mode & 0o100) !== 0,
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
