import { limits, toTimestamp, type ChangedFile, type RepositoryCommit } from '@kethub/contract';
import { GitFailure, READ_MS, type Git } from '../git/git.ts';
import { readFields } from './fields.ts';

/** Fields of a commit. E-mail addresses are left out. U+0000 ends each: no name and no message can hold it. */
const FIELDS = ['%H', '%P', '%an', '%at', '%ct', '%B'];

interface Range {
  /** Commits and ranges of them, such as `a..b`; they come from the platform, not from the caller. */
  readonly of: readonly string[];
  readonly path?: string;
  readonly skip?: number;
  readonly most: number;
}

/** The commits of a range, newest first. */
export async function readCommits(
  git: Git,
  repository: string,
  { of, path, skip = 0, most }: Range,
): Promise<RepositoryCommit[]> {
  const format = `--format=tformat:${FIELDS.join('%x00')}`;
  const args = ['log', '-z', format, `--max-count=${most}`, `--skip=${skip}`, ...of, '--'];
  const paths = path === undefined || path === '' ? [] : [path];
  const child = git.spawn({ repository, access: 'READ', args: [...args, ...paths], longestMs: READ_MS });
  child.stdin.end();
  const [values, end] = await Promise.all([readFields(child.stdout, limits.shownMessageBytes), child.ended]);
  if (end.code !== 0) throw new GitFailure(args, end);
  return Array.from({ length: Math.floor(values.length / FIELDS.length) }, (_, index) =>
    presentCommit(values.slice(index * FIELDS.length, (index + 1) * FIELDS.length)),
  );
}

function presentCommit(values: readonly string[]): RepositoryCommit {
  const [id = '', parents = '', author = '', authored = '', committed = '', message = ''] = values;
  return {
    id,
    // The last of very many may be cut.
    parents: parents.split(' ').filter((parent) => parent.length === id.length),
    author,
    authoredAt: timeOf(authored),
    committedAt: timeOf(committed),
    message: message.trimEnd(),
  };
}

/** The last second that a timestamp can show; commits can carry any number. */
const LAST_SECOND = 253_402_300_799;

/** A timestamp of the seconds that a commit names. */
export function timeOf(seconds: string): string {
  return toTimestamp(Math.min(LAST_SECOND, Math.max(0, Number(seconds) || 0)) * 1000);
}

export interface Difference {
  readonly files: ChangedFile[];
  readonly patch: string;
  readonly isCut: boolean;
}

const CHANGES: Readonly<Record<string, ChangedFile['change']>> = {
  A: 'ADDED',
  D: 'DELETED',
  R: 'RENAMED',
  T: 'TYPE_CHANGED',
};
const NAMES_BYTES = 16 * 1024 * 1024;

/** The changes from one commit or tree to another, with as much of the patch as can be shown. */
export async function readDifference(git: Git, repository: string, from: string, to: string): Promise<Difference> {
  const common = ['diff-tree', '-r', '-M', '--no-ext-diff', '--no-textconv'];
  const ends = [from, to, '--'];
  const run = (options: readonly string[], most: number) =>
    firstBytes(git, repository, [...common, ...options, ...ends], most);
  const [names, patch] = await Promise.all([
    run(['-z', '--raw', '--numstat'], NAMES_BYTES),
    run(['-p', '--no-color', '--submodule=short'], limits.patchBytes),
  ]);
  const files = filesOf(names.text);
  return {
    files: files.slice(0, limits.changedFiles),
    patch: patch.text,
    isCut: patch.isCut || names.isCut || files.length > limits.changedFiles,
  };
}

/** The output of Git up to `most` bytes; then Git is ended. */
async function firstBytes(git: Git, repository: string, args: readonly string[], most: number) {
  const child = git.spawn({ repository, access: 'READ', args, longestMs: READ_MS });
  child.stdin.end();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) break;
  }
  const isWhole = length <= most && (await child.ended).code === 0;
  child.kill();
  return { text: Buffer.concat(chunks).subarray(0, most).toString('utf8'), isCut: !isWhole };
}

/** Reads `--raw --numstat -z`: first a line for each change, then the numbers of lines in the same order. */
function filesOf(text: string): ChangedFile[] {
  const fields = text.split('\0');
  const files: ChangedFile[] = [];
  let at = 0;
  for (; fields[at]?.startsWith(':');) {
    const letter = /([A-Z])\d*$/.exec(fields[at] ?? '')?.[1] ?? 'M';
    const isRename = letter === 'R' || letter === 'C';
    const [first = '', second = ''] = fields.slice(at + 1, at + 3);
    const change = CHANGES[letter] ?? 'MODIFIED';
    files.push(isRename ? { path: second, formerPath: first, change } : { path: first, change });
    at += isRename ? 3 : 2;
  }
  return files.map((file) => {
    const [, added = '-', removed = '-'] = /^(\d+|-)\t(\d+|-)\t/.exec(fields[at] ?? '') ?? [];
    at += file.formerPath === undefined ? 1 : 3;
    return added === '-' ? file : { ...file, added: Number(added), removed: Number(removed) };
  });
}
