import { isRefName, type Operation } from '@kethub/contract';
import { Problem } from '../../../foundation/http/index.ts';
import type { Addresses, Platform } from '../../../foundation/platform.ts';
import type { ImplementationRow } from '../../../foundation/storage/index.ts';
import { cloneUrl } from '../present.ts';
import { requireImplementation, type Reader } from '../rights.ts';
import type { GitStore } from '../store.ts';
import type { CatFile } from './cat-file.ts';

/** A repository that the caller may read. */
export interface OpenRepository {
  readonly implementation: ImplementationRow;
  /** Path of the repository. */
  readonly repository: string;
  readonly objects: CatFile;
}

/** Opens the repository of an implementation for a reader. */
export async function openToRead(
  { database }: Platform,
  store: GitStore,
  reader: Reader,
  id: string,
  operation: Operation = 'implementation:read',
): Promise<OpenRepository> {
  const { implementation } = await requireImplementation(database.read, reader, id, operation);
  const repository = await store.repositories.open(implementation);
  return { implementation, repository, objects: store.catFiles.of(repository) };
}

const COMMIT = /^[0-9a-f]{40}$/;

/**
 * The commit that a branch, a tag or a commit names; the default branch without a name. Throws empty-repository for the
 * default branch of a repository without it, and not-found for any other name.
 */
export async function requireCommit(
  { addresses }: Platform,
  { implementation, objects }: OpenRepository,
  ref: string | undefined,
): Promise<string> {
  const name = ref ?? implementation.default_branch;
  if (!isRefName(name))
    throw new Problem('invalid-request', 'ref must name a branch, a tag, or a commit with all of its 40 digits.', {
      errors: [{ pointer: '/querystring/ref', detail: 'is not the name of a branch, a tag or a commit' }],
    });
  const candidates = [`refs/heads/${name}`, `refs/tags/${name}`, ...(COMMIT.test(name) ? [name] : [])];
  for (const candidate of candidates) {
    const found = await objects.info(`${candidate}^{commit}`);
    if (found?.type === 'commit') return found.id;
  }
  if (name === implementation.default_branch)
    throw new Problem('empty-repository', emptyText(addresses, implementation));
  throw new Problem('not-found', `The repository has no branch, tag or commit ${name}.`);
}

function emptyText(addresses: Addresses, implementation: ImplementationRow): string {
  const { default_branch: branch } = implementation;
  const url = cloneUrl(addresses, implementation);
  return `There is no commit on ${branch} yet. Push one: git push ${url} HEAD:${branch}`;
}
