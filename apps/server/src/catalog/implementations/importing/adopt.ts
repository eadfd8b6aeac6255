import { createInterface } from 'node:readline';
import { isRefName, limits } from '@kethub/contract';
import type { Git } from '../git/git.ts';
import { ImportFailure } from './failure.ts';

/** Refs of the other repository while they are checked. No client sees them. */
export const INCOMING = 'refs/kethub/import';
const KINDS = ['heads', 'tags'] as const;
/** Bytes of the list of all refs. */
const LIST_BYTES = 16 * 1024 * 1024;

/** Makes the fetched branches and tags those of the repository. Returns whether that changed anything. */
export async function adoptRefs(git: Git, repository: string): Promise<boolean> {
  const [incoming, present] = [await refsBelow(git, repository, INCOMING), await refsBelow(git, repository, 'refs')];
  const wanted = new Map<string, string>();
  for (const [name, target] of incoming) {
    const ref = `refs/${name.slice(INCOMING.length + 1)}`;
    if (isRefName(ref.replace(/^refs\/(?:heads|tags)\//, ''))) wanted.set(ref, target);
  }
  // A server under maintenance may answer with an empty page, which must not empty a mirror.
  if (wanted.size === 0)
    throw new ImportFailure(
      'There is no branch and no tag at this address, or no repository that Git can read by its smart protocol.',
    );
  if (wanted.size > limits.refsOfImplementation)
    throw new ImportFailure(
      `The repository has ${wanted.size} branches and tags, and the limit is ${limits.refsOfImplementation}.`,
    );
  const own = [...present].filter(([name]) => KINDS.some((kind) => name.startsWith(`refs/${kind}/`)));
  const gone = own.filter(([name]) => !wanted.has(name)).map(([name]) => `delete ${name}\n`);
  const moved = [...wanted].filter(([name, target]) => present.get(name) !== target);
  // A branch `a` has to be gone before a branch `a/b` is made.
  await update(git, repository, gone);
  await update(
    git,
    repository,
    moved.map(([name, target]) => `update ${name} ${target}\n`),
  );
  return gone.length + moved.length > 0;
}

/** Removes the fetched refs, whatever has become of them. */
export async function dropIncoming(git: Git, repository: string): Promise<void> {
  const names = [...(await refsBelow(git, repository, INCOMING)).keys()];
  await update(
    git,
    repository,
    names.map((name) => `delete ${name}\n`),
  );
}

async function update(git: Git, repository: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  await git.output({ repository, access: 'WRITE', args: ['update-ref', '--stdin'] }, lines.join(''));
}

async function refsBelow(git: Git, repository: string, prefix: string): Promise<Map<string, string>> {
  const args = ['for-each-ref', '--format=%(refname) %(objectname)', prefix];
  const out = (await git.output({ repository, access: 'READ', args }, '', LIST_BYTES)).toString('utf8');
  const lines = out.split('\n').filter(Boolean);
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]));
}

/** Throws ImportFailure when a file of the repository has more than `most` bytes. */
export async function requireFileSizes(git: Git, repository: string, most: number): Promise<void> {
  const format = '--batch-check=%(objectsize) %(objecttype) %(objectname)';
  const args = ['cat-file', '--batch-all-objects', '--unordered', format];
  const child = git.spawn({ repository, access: 'READ', args });
  child.stdin.end();
  try {
    for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) {
      const [bytes = '0', type, id = ''] = line.split(' ');
      if (type === 'blob' && Number(bytes) > most)
        throw new ImportFailure(`The file ${id} has ${bytes} bytes, and the limit is ${most}.`);
    }
  } finally {
    child.kill();
  }
  await child.ended;
}
