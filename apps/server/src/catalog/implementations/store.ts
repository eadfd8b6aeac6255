import { createHash, randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Platform } from '../../foundation/platform.ts';
import type { ImplementationRow } from '../../foundation/storage/index.ts';
import { canSandbox, requireGit } from './git/check.ts';
import { Git, type GitEnd } from './git/git.ts';
import { Repositories } from './git/repositories.ts';
import type { Keeper } from './keeper.ts';
import { CatFiles } from './reading/cat-file.ts';
import { ReadSlots } from './reading/read-slots.ts';
import { SizeQuota } from './size-quota.ts';
import { findImplementation } from './queries.ts';
import { recordState, stateOf, type Push } from './record-push.ts';
import { Upkeep } from './upkeep.ts';

/** The repositories of this process, which has the role `git`. */
export interface GitStore {
  readonly git: Git;
  readonly repositories: Repositories;
  /** Readers of objects. */
  readonly catFiles: CatFiles;
  /** Slots of processes that read for one answer. */
  readonly readSlots: ReadSlots;
  readonly upkeep: Upkeep;
  readonly sizeQuota: SizeQuota;
  readonly keeper: Keeper;
  /**
   * Follows a write that `beginWrite` has begun to its end, and records what has become of the repository. `pushOf` is
   * called after the end; without it, no person has pushed.
   */
  follow(implementation: ImplementationRow, ended: Promise<GitEnd>, pushOf?: () => Promise<Push | null>): Promise<void>;
  close(): Promise<void>;
}

/** Opens the repositories in the data folder. Throws Refusal when this machine has no suitable Git. */
export function openGitStore(platform: Platform, keeper: Keeper): GitStore {
  requireGit();
  const { configuration, log } = platform;
  const folder = path.join(configuration.dataDir, 'repositories');
  const hooks = placeHooks(path.join(folder, 'hooks'));
  const sandboxed = canSandbox();
  if (!sandboxed) log.warn('Git runs without a sandbox: bubblewrap cannot be used on this machine');
  const { pushBytes, repositoryBytes } = configuration.repositories;
  const git = new Git({ sandboxed, hooks, pushBytes, fileBytes: repositoryBytes });
  const catFiles = new CatFiles(git, platform.now);
  const repositories = new Repositories(folder, git, keeper);

  const upkeep = new Upkeep(platform, git, repositories);
  if (!keeper.isKeeper) log.info('another process looks after the repositories; this one does when that has ended');
  keeper.whenKeeper(() => {
    upkeep.start();
    keeper
      .alone(() => removeOtherHooks(hooks))
      .catch((error: unknown) => log.warn({ err: error }, 'hooks of another version could not be removed'));
  });

  async function record({ id }: ImplementationRow, push: Push | null): Promise<void> {
    // The settings may have changed while the push went on.
    const implementation = await findImplementation(platform.database.read, id);
    if (!implementation) return;
    const state = await stateOf(git, repositories.pathOf(id), implementation.default_branch);
    await recordState(platform, implementation, state, true, push);
  }

  return {
    git,
    keeper,
    repositories,
    catFiles,
    upkeep,
    readSlots: new ReadSlots(),
    sizeQuota: new SizeQuota(platform),
    async follow(implementation, ended, pushOf) {
      const { code } = await ended;
      try {
        await record(implementation, (await pushOf?.()) ?? null);
        upkeep.pushed(implementation.id);
      } catch (error) {
        log.error({ err: error, implementation: implementation.id }, 'the end of a push could not be recorded');
      } finally {
        repositories.endWrite(implementation.id, code === 0);
      }
    },
    async close() {
      catFiles.close();
      // A process that packs is killed; what it leaves is cleared at the next start.
      const stopped = upkeep.stop();
      await git.close();
      await stopped;
    },
  };
}

/** Puts the hooks of this version into a folder named by their content: those of another version go on beside them. */
function placeHooks(folder: string): string {
  const names = ['pre-receive', 'post-receive'];
  const hash = createHash('sha256');
  for (const name of names) hash.update(readFileSync(path.join(import.meta.dirname, 'git', name)));
  const target = path.join(folder, hash.digest('hex').slice(0, 16));
  if (existsSync(target)) return target;
  const made = `${target}.${randomBytes(4).toString('hex')}`;
  mkdirSync(made, { recursive: true, mode: 0o700 });
  for (const name of names) cpSync(path.join(import.meta.dirname, 'git', name), path.join(made, name));
  try {
    renameSync(made, target);
  } catch (error) {
    // Another process that starts has placed the same ones.
    if (!existsSync(target)) throw error;
    rmSync(made, { recursive: true });
  }
  return target;
}

/** Removes what is not the folder of these hooks, and stands beside it. */
async function removeOtherHooks(hooks: string): Promise<void> {
  const folder = path.dirname(hooks);
  for (const name of await readdir(folder))
    if (name !== path.basename(hooks)) await rm(path.join(folder, name), { recursive: true, force: true });
}
