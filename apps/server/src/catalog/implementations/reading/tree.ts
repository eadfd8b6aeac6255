import { limits, type TreeEntry } from '@kethub/contract';
import { Problem } from '../../../foundation/http/index.ts';
import type { CatFile, ObjectInfo } from './cat-file.ts';

/** An entry of a tree as Git stores it. */
interface RawEntry {
  readonly name: string;
  /** Octal mode as Git writes it, such as `100644`. */
  readonly mode: string;
  readonly id: string;
}

const ID_BYTES = 20;
/** Bytes of a tree object that is read: more than 30,000 entries, which take some 10 ms to read. */
const TREE_BYTES = 2 * 1024 * 1024;

const TYPES: Readonly<Record<string, TreeEntry['type']>> = {
  '40000': 'FOLDER',
  '120000': 'LINK',
  '160000': 'SUBMODULE',
};

/** Reads the entries of a tree object. Throws not-found when it is none. */
async function readTree(objects: CatFile, id: string): Promise<RawEntry[]> {
  const info = await objects.info(id);
  if (info?.type !== 'tree') throw new Problem('not-found', 'There is no such folder in this commit.');
  if (info.bytes > TREE_BYTES) throw new Problem('too-large', 'The folder has more entries than can be shown.');
  const content = await objects.content(info.id);
  return content ? parseTree(content) : [];
}

function parseTree(bytes: Buffer): RawEntry[] {
  const entries: RawEntry[] = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at);
    const end = bytes.indexOf(0, space);
    if (space < 0 || end < 0) break;
    entries.push({
      mode: bytes.toString('latin1', at, space),
      name: bytes.toString('utf8', space + 1, end),
      id: bytes.toString('hex', end + 1, end + 1 + ID_BYTES),
    });
    at = end + 1 + ID_BYTES;
  }
  return entries;
}

/**
 * The file or folder at a path in a commit; null when there is none. The path is names with slashes between, never a
 * pattern. Git looks for it, so that no folder on the way is read here.
 */
export function findObject(objects: CatFile, commit: string, path: string): Promise<ObjectInfo | null> {
  const names = segmentsOf(path);
  return UNASKABLE.test(path) ? walk(objects, commit, names) : objects.info(`${commit}:${path}`);
}

/** Signs with which Git cannot be asked for a path: ends of lines, and what stands for bytes that are no UTF-8. */
const UNASKABLE = /[\n\ufffd]|\r$/;

/** Names of a path that is followed folder by folder. */
const MOST_WALKED = 64;

/** Finds a path folder by folder, by the names that are shown. */
async function walk(objects: CatFile, commit: string, names: readonly string[]): Promise<ObjectInfo | null> {
  // Each folder on the way is read whole, so a path of thousands of names would be work for a minute.
  if (names.length > MOST_WALKED) return null;
  let found = await objects.info(`${commit}^{tree}`);
  for (const name of names) {
    if (found?.type !== 'tree') return null;
    const entry = (await readTree(objects, found.id)).find((one) => one.name === name);
    found = entry ? await objects.info(entry.id) : null;
  }
  return found;
}

/** The names of a path. Throws invalid-request for one that no file of a repository can have. */
export function segmentsOf(path: string): string[] {
  if (path === '') return [];
  const names = path.split('/');
  if (names.every((name) => name !== '' && name !== '.' && name !== '..' && !name.includes('\0'))) return names;
  throw new Problem(
    'invalid-request',
    'A path consists of names separated by single slashes, such as src/program.py.',
    {
      errors: [{ pointer: '/querystring/path', detail: 'is not a path in a repository' }],
    },
  );
}

function typeOf({ mode }: RawEntry): TreeEntry['type'] {
  return TYPES[mode] ?? 'FILE';
}

/** The entries of a folder whose names contain `wanted`, with the sizes of files: that very name, then folders first. */
export async function presentTree(
  objects: CatFile,
  id: string,
  wanted: string,
): Promise<{ entries: TreeEntry[]; isCut: boolean }> {
  const text = wanted.toLowerCase();
  const all = (await readTree(objects, id)).filter(({ name }) => name.toLowerCase().includes(text));
  const rank = (entry: RawEntry): number => (entry.name === wanted ? 0 : typeOf(entry) === 'FOLDER' ? 1 : 2);
  const shown = all.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1)).slice(0, limits.treeEntries);
  const entries = await Promise.all(
    shown.map(async (entry): Promise<TreeEntry> => {
      const type = typeOf(entry);
      const info = type === 'FILE' || type === 'LINK' ? await objects.info(entry.id) : null;
      return {
        name: entry.name,
        type,
        id: entry.id,
        ...(info && { bytes: info.bytes }),
        ...(type === 'FILE' && { isExecutable: entry.mode === '100755' }),
      };
    }),
  );
  return { entries, isCut: all.length > shown.length };
}
