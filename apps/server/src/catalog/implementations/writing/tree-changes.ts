import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../git/git.ts';
import type { ArrivedCommit } from './arriving.ts';

/** The id that stands for no object. */
export const ZERO = '0'.repeat(40);
/** Bytes of the list of a tree. */
const TREE_BYTES = 64 * 1024 * 1024;
/** Bytes of the target of a link. */
const TARGET_BYTES = 4_095;

const FILE = '100644';
const EXECUTABLE = '100755';
const LINK = '120000';

interface Entry {
  readonly mode: string;
  readonly id: string;
}

/** The files of the commit before, by their paths. */
export type Entries = ReadonlyMap<string, Entry>;

/** The files of a commit that have one of these paths. */
export async function entriesBefore(
  git: Git,
  repository: string,
  tip: string,
  wanted: ReadonlySet<string>,
): Promise<Entries> {
  const format = '--format=%(objectmode) %(objectname) %(path)';
  const args = ['ls-tree', '-r', '-z', format, '--end-of-options', tip];
  const out = (await git.output({ repository, access: 'READ', args }, '', TREE_BYTES)).toString('utf8');
  return new Map(
    out.split('\0').flatMap((line) => {
      const [, mode = '', id = '', name = ''] = /^(\d+) ([0-9a-f]+) (.*)$/s.exec(line) ?? [];
      return wanted.has(name) ? [[name, { mode, id }]] : [];
    }),
  );
}

/**
 * The lines of `update-index --index-info` for removed and sent files. `ids` are those of the files of the folder, in
 * the order of their names. A form says nothing of modes: a file that is replaced or renamed keeps its own.
 */
export async function changesOf(
  { folder, removed }: ArrivedCommit,
  names: readonly string[],
  ids: readonly string[],
  before: Entries,
): Promise<string> {
  const isOne = removed.length === 1 && names.length === 1;
  const gone = removed.flatMap((name) => before.get(name) ?? []);
  const lines = await Promise.all(
    names.map(async (name, number) => {
      const id = ids[number] ?? '';
      const from = before.get(name) ?? gone.find((one) => isOne || one.id === id);
      return `${await modeOf(path.join(folder, name), from?.mode)} ${id}\t${name}\0`;
    }),
  );
  return [...removed.map((name) => `0 ${ZERO}\t${name}\0`), ...lines].join('');
}

/** The mode of a file that replaces one of mode `before`. A link stays one if the content can be its target. */
async function modeOf(file: string, before: string | undefined): Promise<string> {
  const { mode, size } = await stat(file);
  if (before === LINK && size > 0 && size <= TARGET_BYTES && !/[\0\n]/.test(await readFile(file, 'latin1')))
    return LINK;
  return (mode & 0o100) !== 0 || before === EXECUTABLE ? EXECUTABLE : FILE;
}

/** The paths of all files below a folder. */
export async function namesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}
