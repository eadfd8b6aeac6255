import type { ServiceRuntime } from '@kethub/contract';
import type { Platform } from '../../foundation/platform.ts';
import type { ImplementationRow } from '../../foundation/storage/index.ts';
import { bytesOf } from './git/repositories.ts';
import type { Git } from './git/git.ts';

/** Names at the root of a project that make it a service of containers, and the program of the Python template. */
const CONTAINER_FILES = ['Dockerfile', 'Containerfile'];
const PROGRAM = 'src/program.py';

/** The state of a repository that its row repeats. */
export interface RepositoryState {
  readonly head: string | null;
  readonly buildable: ServiceRuntime | null;
  readonly bytes: number;
}

/** Reads the state of a repository. */
export async function stateOf(git: Git, repository: string, branch: string): Promise<RepositoryState> {
  const found = await look(git, repository, `refs/heads/${branch}`);
  return { ...found, bytes: await bytesOf(repository) };
}

/** The runtime of the service that a commit makes; null if it makes none. */
export async function buildableOf(git: Git, repository: string, commit: string): Promise<ServiceRuntime | null> {
  return (await look(git, repository, commit)).buildable;
}

async function look(git: Git, repository: string, tip: string): Promise<Omit<RepositoryState, 'bytes'>> {
  const asked = [`${tip}^{commit}`, ...[...CONTAINER_FILES, PROGRAM].map((name) => `${tip}:${name}`)];
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)'];
  const out = await git.output({ repository, access: 'READ', args }, asked.map((one) => `${one}\n`).join(''));
  const [head = '', ...files] = out.toString('utf8').split('\n');
  const [docker, container, program] = files.map((line) => line.endsWith(' blob'));
  const runtime = docker || container ? 'DOCKER' : program ? 'PYTHON_TEMPLATE' : null;
  const commit = /^([0-9a-f]{40,64}) commit$/.exec(head)?.[1] ?? null;
  return { head: commit, buildable: commit === null ? null : runtime };
}

/** Writes the state of a repository after a push into its row. */
export async function recordState(
  { database, now }: Platform,
  { id, default_branch }: ImplementationRow,
  state: RepositoryState,
  wasPushed: boolean,
): Promise<void> {
  await database.write((transaction) =>
    transaction
      .updateTable('implementations')
      .set({ ...state, ...(wasPushed && { pushed_at: now() }) })
      .where('id', '=', id)
      // Another default branch was chosen meanwhile; it is read by itself.
      .where('default_branch', '=', default_branch)
      .execute(),
  );
}
