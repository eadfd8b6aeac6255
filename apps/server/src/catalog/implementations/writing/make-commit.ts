import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { limits, type MadeCommit } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { personName } from '../../../people/accounts/index.ts';
import type { IdentityProvider } from '../../../people/identity/index.ts';
import { etag, Problem, requireMatch } from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import { requireFreeSpace } from '../../quotas/index.ts';
import { GitFailure } from '../git/git.ts';
import { INDEX_PREFIX } from '../git/repositories.ts';
import type { RefChange } from '../record-push.ts';
import { readOnlyText, requireImplementation } from '../rights.ts';
import type { SizeReservation } from '../size-quota.ts';
import type { GitStore } from '../store.ts';
import { receiveCommit, type ArrivedCommit } from './arriving.ts';

const ZERO = '0'.repeat(40);

/** A commit that is being made in one repository. */
interface Work {
  readonly store: GitStore;
  readonly repository: string;
  /** Name of the folder of this commit, in the repository. */
  readonly place: string;
}

/**
 * Makes a commit of files that are sent, without a work tree. `If-Match` names the commit that the branch must be at;
 * the branch is never moved from another commit than the one that the new commit follows.
 */
export async function makeCommit(
  platform: Platform,
  identity: IdentityProvider,
  store: GitStore,
  context: Context,
  id: string,
  request: FastifyRequest,
): Promise<Static<typeof MadeCommit>> {
  const { implementation } = await requireImplementation(platform.database.read, context, id, 'implementation:push');
  if (implementation.read_only !== null) throw new Problem('conflict', readOnlyText(implementation.read_only));
  requireFreeSpace(platform);
  const reserved = await store.sizeQuota.reserve(implementation, limits.committedBytes);
  const repository = await store.repositories.beginWrite(implementation).catch((error: unknown) => {
    reserved.release();
    throw error;
  });
  const place = INDEX_PREFIX + platform.newId();
  const folder = path.join(repository, place);
  const ended = Promise.withResolvers<{ code: number; message: string }>();
  const changes: RefChange[] = [];
  const recorded = store.follow(implementation, ended.promise, () =>
    Promise.resolve({ personId: context.personId, changes }),
  );
  try {
    await mkdir(folder);
    const arrived = await receiveCommit(request, folder, platform.configuration.repositories.fileBytes);
    await requireFit(reserved, arrived.folder);
    const branch = arrived.branch ?? implementation.default_branch;
    const author = await authorOf(platform, identity, context);
    const ifMatch = request.headers['if-match'];
    const made = await write({ store, repository, place }, arrived, { branch, author, ifMatch });
    changes.push(made);
    const { to: commit } = made;
    return { commit, branch };
  } finally {
    await rm(folder, { recursive: true, force: true });
    ended.resolve({ code: 0, message: '' });
    await recorded;
    reserved.release();
  }
}

interface Target {
  readonly branch: string;
  readonly author: Readonly<Record<string, string>>;
  readonly ifMatch: string | undefined;
}

/** The change of the branch that a commit makes. */
interface Made extends RefChange {
  readonly to: string;
}

async function write(work: Work, arrived: ArrivedCommit, { branch, author, ifMatch }: Target): Promise<Made> {
  const tip = await tipOf(work, branch);
  requireMatch(ifMatch, etag(tip ?? ''));
  const index = { GIT_INDEX_FILE: `${work.place}/index` };
  const git = (args: readonly string[], input = '') => run(work, args, { ...index, ...author }, input);
  if (tip !== null && !arrived.isWhole) await git(['read-tree', tip]);
  const executables = tip === null || arrived.isWhole ? new Set<string>() : await executablesIn(work, tip);
  await git(['update-index', '--replace', '-z', '--index-info'], await changesOf(work, arrived, executables));
  const tree = await git(['write-tree']);
  if (tip !== null && tree === (await git(['rev-parse', '--verify', '--end-of-options', `${tip}^{tree}`])))
    throw new Problem('conflict', `The commit changes nothing: ${branch} holds the same files already.`);
  const commit = await git(['commit-tree', tree, ...(tip === null ? [] : ['-p', tip]), '-F', '-'], arrived.message);
  try {
    await git(['update-ref', '--end-of-options', `refs/heads/${branch}`, commit, tip ?? ZERO]);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    const now = await tipOf(work, branch);
    if (now !== tip)
      throw new Problem('stale', `${branch} has moved to ${now ?? 'no commit'} meanwhile. Read it again.`);
    throw new Problem('conflict', `There is no room for a branch ${branch} beside the others, such as one below it.`);
  }
  return { ref: `refs/heads/${branch}`, from: tip, to: commit };
}

/** The lines of `update-index --index-info` for removed and sent files. */
async function changesOf(
  work: Work,
  { folder, removed }: ArrivedCommit,
  executables: ReadonlySet<string>,
): Promise<string> {
  const names = await namesBelow(folder);
  const prefix = path.relative(work.repository, folder);
  const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
  const ids = (await run(work, args, {}, names.map((name) => `${prefix}/${name}\n`).join(''))).split('\n');
  const lines = await Promise.all(
    names.map(async (name, number) => {
      const { mode } = await stat(path.join(folder, name));
      const isExecutable = (mode & 0o100) !== 0 || executables.has(name);
      return `${isExecutable ? '100755' : '100644'} ${ids[number] ?? ''}\t${name}\0`;
    }),
  );
  return [...removed.map((name) => `0 ${ZERO}\t${name}\0`), ...lines].join('');
}

const TREE_BYTES = 64 * 1024 * 1024;

/** The paths of the executable files of a commit: a form says nothing of that, so a file that is replaced stays one. */
async function executablesIn({ store, repository }: Work, tip: string): Promise<ReadonlySet<string>> {
  const args = ['ls-tree', '-r', '-z', '--format=%(objectmode) %(path)', '--end-of-options', tip];
  const out = (await store.git.output({ repository, access: 'READ', args }, '', TREE_BYTES)).toString('utf8');
  const marked = out.split('\0').filter((line) => line.startsWith('100755 '));
  return new Set(marked.map((line) => line.slice('100755 '.length)));
}

async function tipOf(work: Work, branch: string): Promise<string | null> {
  const info = await work.store.catFiles.of(work.repository).info(`refs/heads/${branch}^{commit}`);
  return info?.id ?? null;
}

async function run(
  { store, repository }: Work,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  input: string,
): Promise<string> {
  const out = await store.git.output({ repository, access: 'WRITE', args, environment }, input);
  return out.toString('utf8').trim();
}

/** The paths of all files below a folder. */
async function namesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

async function requireFit({ bytes: left }: SizeReservation, folder: string): Promise<void> {
  let bytes = 0;
  for (const name of await namesBelow(folder)) bytes += (await stat(path.join(folder, name))).size;
  if (bytes <= left) return;
  throw new Problem(
    'too-large',
    `The files have ${bytes} bytes, and ${left} are left in this repository and for its owner.`,
  );
}

/** The author of a commit: the name of the person, and an address that receives no mail. */
async function authorOf(
  { addresses }: Platform,
  identity: IdentityProvider,
  { personId }: Context,
): Promise<Record<string, string>> {
  const person = await identity.find(personId);
  const name = (person ? personName(person) : '').replaceAll(/[\p{Cc}<>]/gu, '').trim() || 'Somebody';
  const email = `${personId}@users.noreply.${new URL(addresses.git).hostname}`;
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}
