import { mkdir, rm, stat } from 'node:fs/promises';
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
import { Quarantine, REASON_LENGTH } from './quarantine.ts';
import { changesOf, entriesBefore, namesBelow, ZERO, type Entries } from './tree-changes.ts';

/** A commit that is being made in one repository. */
interface Work {
  readonly store: GitStore;
  readonly repository: string;
  /** Name of the folder of this commit, in the repository. */
  readonly workName: string;
  readonly quarantine: Quarantine;
}

/**
 * Makes a commit of files that are sent, without a work tree. `If-Match` names the commit that the branch must be at.
 * The branch is never moved from another commit than the one that the new commit follows.
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
  const workName = INDEX_PREFIX + platform.newId();
  const folder = path.join(repository, workName);
  const ended = Promise.withResolvers<{ code: number; message: string }>();
  // A commit that fails may have left something, as a push that is cut off does.
  const end = { code: 1, message: '' };
  const changes: RefChange[] = [];
  const recorded = store.follow(implementation, ended.promise, () =>
    Promise.resolve({ personId: context.personId, changes }),
  );
  try {
    await mkdir(folder);
    const quarantine = new Quarantine(store.git, repository, workName);
    await quarantine.open();
    const arrived = await receiveCommit(request, folder, platform.configuration.repositories.fileBytes);
    const names = await namesBelow(arrived.folder);
    await requireSize(reserved, arrived.folder, names);
    const branch = arrived.branch ?? implementation.default_branch;
    const author = await authorOf(platform, identity, context);
    const ifMatch = request.headers['if-match'];
    const work = { store, repository, workName, quarantine };
    const made = await write(work, arrived, names, { branch, author, ifMatch });
    changes.push(made);
    end.code = 0;
    const { to: commit } = made;
    return { commit, branch };
  } finally {
    await rm(folder, { recursive: true, force: true });
    ended.resolve(end);
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

async function write(
  work: Work,
  arrived: ArrivedCommit,
  names: readonly string[],
  { branch, author, ifMatch }: Target,
): Promise<Made> {
  const { store, repository, workName, quarantine } = work;
  const tip = await tipOf(work, branch);
  requireMatch(ifMatch, etag(tip ?? ''));
  if (tip === null) await requireRefLimit(work);
  const environment = { GIT_INDEX_FILE: `${workName}/index`, ...author };
  const git = async (args: readonly string[], input = ''): Promise<string> =>
    (await store.git.output(quarantine.run(args, environment), input)).toString('utf8').trim();
  const follows = tip !== null && !arrived.isWhole;
  if (follows) await git(['read-tree', tip]);
  const changed = new Set([...arrived.removed, ...names]);
  const before: Entries = follows ? await entriesBefore(store.git, repository, tip, changed) : new Map();
  const prefix = path.relative(repository, arrived.folder);
  const files = names.map((name) => `${prefix}/${name}\n`).join('');
  const ids = (await git(['hash-object', '-w', '--no-filters', '--stdin-paths'], files)).split('\n');
  const changes = await changesOf(arrived, names, ids, before);
  let ignored = '';
  const onMessage = (text: string): void => void (ignored += text);
  const indexing = { ...quarantine.run(['update-index', '--replace', '-z', '--index-info'], environment), onMessage };
  await store.git.output(indexing, changes);
  if (ignored !== '') throw new Problem('invalid-request', `Git refuses a path of the commit: ${reasonOf(ignored)}`);
  const tree = await git(['write-tree']);
  if (tip !== null && tree === (await git(['rev-parse', '--verify', '--end-of-options', `${tip}^{tree}`])))
    throw new Problem('conflict', `The commit changes nothing: ${branch} holds the same files already.`);
  const commit = await git(['commit-tree', tree, ...(tip === null ? [] : ['-p', tip]), '-F', '-'], arrived.message);
  await quarantine.release(commit, tip);
  try {
    const args = ['update-ref', '--end-of-options', `refs/heads/${branch}`, commit, tip ?? ZERO];
    await store.git.output({ repository, access: 'WRITE', args });
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    const now = await tipOf(work, branch);
    if (now !== tip)
      throw new Problem('stale', `${branch} has moved to ${now ?? 'no commit'} meanwhile. Read it again.`);
    throw new Problem(
      'conflict',
      `Another branch stands in the way of ${branch}: one of the two names continues the other after a slash. Choose another name.`,
    );
  }
  return { ref: `refs/heads/${branch}`, from: tip, to: commit };
}

/** The first line of what Git says of paths that it leaves out. */
function reasonOf(message: string): string {
  return message.trim().split('\n', 1).join('').slice(0, REASON_LENGTH);
}

async function tipOf(work: Work, branch: string): Promise<string | null> {
  const info = await work.store.catFiles.of(work.repository).info(`refs/heads/${branch}^{commit}`);
  return info?.id ?? null;
}

/** Throws conflict when a repository has as many branches and tags as it may. */
async function requireRefLimit({ store, repository }: Work): Promise<void> {
  const most = limits.refsOfImplementation;
  const args = ['for-each-ref', `--count=${most}`, '--format=x'];
  const out = await store.git.output({ repository, access: 'READ', args });
  if (out.toString('utf8').split('\n').length > most)
    throw new Problem('conflict', `A repository has at most ${most} branches and tags. Delete some first.`);
}

async function requireSize({ bytes: left }: SizeReservation, folder: string, names: readonly string[]): Promise<void> {
  let bytes = 0;
  for (const name of names) bytes += (await stat(path.join(folder, name))).size;
  if (bytes <= left) return;
  throw new Problem(
    'too-large',
    `The files have ${bytes} bytes; this repository and its owner have ${left} bytes left.`,
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
