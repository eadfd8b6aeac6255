import {
  limits,
  type CommitDetails,
  type Comparison,
  type RepositoryCommit,
  type RepositoryRefs,
  type RepositoryTree,
} from '@kethub/contract';
import { Problem } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { READ_MS } from '../git/git.ts';
import { recordState, stateOf } from '../record-push.ts';
import type { Reader } from '../rights.ts';
import type { GitStore } from '../store.ts';
import { readCommits, readDifference } from './history.ts';
import { readRefs } from './refs.ts';
import { openToRead, requireCommit } from './resolve.ts';
import { findObject, presentTree, segmentsOf } from './tree.ts';

/** The tree without files, which the first commit is compared with. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Reads the branches and tags. */
export async function showRefs(
  platform: Platform,
  store: GitStore,
  reader: Reader,
  id: string,
): Promise<RepositoryRefs> {
  const { implementation, repository } = await openToRead(platform, store, reader, id);
  const { branches, tags } = await readRefs(store.git, repository);
  const { default_branch: defaultBranch } = implementation;
  const head = branches.find(({ name }) => name === defaultBranch)?.commit ?? null;
  // The default branch was changed since the last push.
  if (head !== implementation.head && !store.repositories.isWritten(id)) {
    const state = await stateOf(store.git, repository, defaultBranch);
    await recordState(platform, implementation, state, false);
  }
  return { defaultBranch, head, branches, tags };
}

/** A branch, tag or commit, and a path in it. */
export interface RefAndPath {
  readonly ref?: string;
  readonly path?: string;
}

export interface FolderQuery extends RefAndPath {
  /** Text that the names of the entries contain. */
  readonly q?: string;
}

/** Reads a folder. */
export async function readFolder(
  platform: Platform,
  store: GitStore,
  reader: Reader,
  id: string,
  { ref, path = '', q = '' }: FolderQuery,
): Promise<RepositoryTree> {
  const open = await openToRead(platform, store, reader, id);
  const commit = await requireCommit(platform, open, ref);
  const entry = await findObject(open.objects, commit, path);
  if (entry?.type !== 'tree') throw new Problem('not-found', `There is no folder ${path} in ${commit}.`);
  return { commit, path, ...(await presentTree(open.objects, entry.id, q)) };
}

export interface HistoryQuery extends RefAndPath {
  readonly limit?: number;
  readonly skip?: number;
}

const HISTORY_PAGE = 30;

/** Reads a page of the history of a branch, or of one path in it, with the address of the next page. */
export async function readHistory(
  platform: Platform,
  store: GitStore,
  reader: Reader,
  id: string,
  { ref, path = '', limit = HISTORY_PAGE, skip = 0 }: HistoryQuery,
): Promise<{ readonly commits: readonly RepositoryCommit[]; readonly next: string | null }> {
  const open = await openToRead(platform, store, reader, id);
  segmentsOf(path);
  const commit = await requireCommit(platform, open, ref);
  const range = { of: [commit], path, skip, most: limit + 1 };
  const commits = await readCommits(store.git, open.repository, range);
  const query = new URLSearchParams({ ...(ref !== undefined && { ref }), ...(path !== '' && { path }) });
  query.set('limit', String(limit));
  query.set('skip', String(skip + limit));
  const address = `${platform.addresses.api}/-/implementations/${id}/commits?${query.toString()}`;
  return { commits: commits.slice(0, limit), next: commits.length > limit ? address : null };
}

/** Reads a commit with its changes against its first parent. */
export async function readCommit(
  platform: Platform,
  store: GitStore,
  reader: Reader,
  id: string,
  ref: string,
): Promise<CommitDetails> {
  const open = await openToRead(platform, store, reader, id);
  const { git } = store;
  const [commit] = await readCommits(git, open.repository, { of: [await requireCommit(platform, open, ref)], most: 1 });
  if (!commit) throw new Problem('not-found', `There is no commit ${ref}.`);
  const before = commit.parents[0] ?? EMPTY_TREE;
  return { ...commit, ...(await readDifference(git, open.repository, before, commit.id)) };
}

/** Compares two branches, tags or commits: the changes of `head` since their common ancestor. */
export async function compare(
  platform: Platform,
  store: GitStore,
  reader: Reader,
  id: string,
  query: { readonly base: string; readonly head: string },
): Promise<Comparison> {
  const open = await openToRead(platform, store, reader, id);
  const { repository } = open;
  const [base, head] = [
    await requireCommit(platform, open, query.base),
    await requireCommit(platform, open, query.head),
  ];
  const run = async (args: string[]): Promise<string> =>
    (await store.git.output({ repository, access: 'READ', args, longestMs: READ_MS })).toString('utf8').trim();
  const [behind = 0, ahead = 0] = (await run(['rev-list', '--left-right', '--count', `${base}...${head}`, '--']))
    .split('\t')
    .map(Number);
  // Git ends with 1 when there is no common ancestor.
  const mergeBase = await run(['merge-base', base, head]).catch(() => null);
  const commits = await readCommits(store.git, repository, { of: [`${base}..${head}`], most: MOST_COMMITS });
  const difference = await readDifference(store.git, repository, mergeBase ?? EMPTY_TREE, head);
  return { base, head, mergeBase, ahead, behind, commits, ...difference };
}

/** The most commits that a page of a history has. */
export const MOST_COMMITS = Math.min(limits.pageSize, 100);
