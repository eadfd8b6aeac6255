import type { ServiceRuntime } from '@kethub/contract';
import { audit, ownContext } from '../../people/audit/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { ImplementationRow } from '../../foundation/storage/index.ts';
import { auditContext } from '../../people/organizations/index.ts';
import { bytesOf } from './git/repositories.ts';
import type { Git } from './git/git.ts';
import { makeSourcesDue } from './queries.ts';

/** Names at the root of a project that make it a service of containers, and the program of the Python template. */
const CONTAINER_FILES = ['Dockerfile', 'Containerfile'];
const PROGRAM = 'src/program.py';

/** The state of a repository that its row repeats. */
export interface RepositoryState {
  readonly head: string | null;
  readonly buildable: ServiceRuntime | null;
  readonly bytes: number;
}

/** A branch or tag that a push has changed. An id is null where there was, or is, none. */
export interface RefChange {
  readonly ref: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** The changes that a person has pushed, with Git or without. */
export interface Push {
  readonly personId: string;
  readonly changes: readonly RefChange[];
}

/** Changes of one push that the audit log names, and characters of the name of a ref. */
const NAMED_CHANGES = 20;
const REF_LENGTH = 255;

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

/** Writes the state of a repository after a push into its row, and the push into the audit log of the owner. */
export async function recordState(
  platform: Platform,
  implementation: ImplementationRow,
  state: RepositoryState,
  wasPushed: boolean,
  push: Push | null = null,
): Promise<void> {
  const { database, now } = platform;
  const { id, default_branch } = implementation;
  await database.write(async (transaction) => {
    await transaction
      .updateTable('implementations')
      .set({ ...state, ...(wasPushed && { pushed_at: now() }) })
      .where('id', '=', id)
      // Another default branch was chosen meanwhile; it is read by itself.
      .where('default_branch', '=', default_branch)
      .execute();
    if (wasPushed) await makeSourcesDue(transaction, now(), id);
    if (!push || push.changes.length === 0) return;
    const context = auditContext(implementation, ownContext(push.personId));
    await audit(platform, transaction, context, 'implementation:pushed', id, detailOf(push));
  });
}

function detailOf({ changes }: Push): Readonly<Record<string, unknown>> {
  const named = changes.slice(0, NAMED_CHANGES).map((one) => ({ ...one, ref: one.ref.slice(0, REF_LENGTH) }));
  return { changes: changes.length, refs: named };
}
