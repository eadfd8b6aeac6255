import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ImplementationRow } from '../../../foundation/storage/index.ts';
import type { Keeper } from '../keeper.ts';
import type { Git } from './git.ts';

type Named = Pick<ImplementationRow, 'id' | 'default_branch'>;

/** Locks that a killed push leaves. No ref has such a name. */
const LOCK = /\.lock$/;
/** Objects and packs that did not arrive, in the folder of objects. */
const UNFINISHED = /^(?:tmp_|incoming-|\.tmp-)|\.lock$/;
/** The beginning of the name of a temporary index, in the folder of a repository. */
export const INDEX_PREFIX = 'kethub-index-';

/** The folders of repositories, by the id of the implementation, so that a new name or owner moves nothing. */
export class Repositories {
  readonly #folder: string;
  readonly #git: Git;
  readonly #keeper: Keeper;
  /** Writes under way, by implementation. */
  readonly #writers = new Map<string, number>();
  /** Repositories to be cleared after the next write: this could not be while others wrote. */
  readonly #cutOff = new Set<string>();
  /** Repositories that are being cleared of what a killed write has left. Nobody writes to them. */
  readonly #clearing = new Map<string, Promise<void>>();
  /** Repositories that were made ready since the start; a killed process may have left something in others. */
  readonly #ready = new Map<string, Promise<string>>();

  constructor(folder: string, git: Git, keeper: Keeper) {
    this.#folder = folder;
    this.#git = git;
    this.#keeper = keeper;
    // The process before may have left something since.
    keeper.whenKeeper(() => this.#ready.clear());
  }

  /** Path that keeps the folders of deleted implementations. */
  get trash(): string {
    return path.join(this.#folder, 'trash');
  }

  pathOf(id: string): string {
    return path.join(this.#folder, id.slice(-2), `${id}.git`);
  }

  /** The repository of an implementation. It is made when it is not there, and its HEAD names the default branch. */
  async open({ id, default_branch }: Named): Promise<string> {
    const repository = await this.#makeReady(id);
    await this.#setHead(repository, default_branch);
    return repository;
  }

  /** {@link open} for a write, which `endWrite` must follow. Waits while the repository is cleared. */
  async beginWrite(implementation: Named): Promise<string> {
    const repository = await this.open(implementation);
    const { id } = implementation;
    for (let clearing = this.#clearing.get(id); clearing; clearing = this.#clearing.get(id)) await clearing;
    this.#writers.set(id, (this.#writers.get(id) ?? 0) + 1);
    return repository;
  }

  /** Ends a write. After one that was cut off, and is the last, its leftovers are removed. */
  endWrite(id: string, isWhole: boolean): void {
    const left = (this.#writers.get(id) ?? 1) - 1;
    if (left > 0) {
      this.#writers.set(id, left);
      if (!isWhole) this.#cutOff.add(id);
      return;
    }
    this.#writers.delete(id);
    if (!this.#cutOff.delete(id) && isWhole) return;
    this.#clear(id).catch(() => undefined);
  }

  /** Returns whether a write is under way. */
  isWritten(id: string): boolean {
    return this.#writers.has(id);
  }

  /** Moves the folder of a deleted implementation to the trash. */
  async discard(id: string, now: number): Promise<void> {
    this.#ready.delete(id);
    await mkdir(this.trash, { recursive: true, mode: 0o700 });
    await rename(this.pathOf(id), path.join(this.trash, `${now}-${id}.git`));
  }

  /** The ids of all implementations that have a folder. */
  async *ids(): AsyncGenerator<string> {
    for (const shard of await listed(this.#folder)) {
      if (!/^[0-9a-f]{2}$/.test(shard)) continue;
      for (const name of await listed(path.join(this.#folder, shard)))
        if (name.endsWith('.git')) yield name.slice(0, -'.git'.length);
    }
  }

  /** Removes what killed writes have left. After the next write, if this process or another one may be writing. */
  #clear(id: string): Promise<void> {
    const clearing = this.#clearing.get(id);
    if (clearing) return clearing;
    if (this.#writers.has(id)) {
      this.#cutOff.add(id);
      return Promise.resolve();
    }
    const work = this.#keeper
      .alone(() => clearLeftovers(this.pathOf(id)))
      .then((isCleared) => void (isCleared || this.#cutOff.add(id)));
    this.#clearing.set(
      id,
      work.catch(() => undefined).finally(() => this.#clearing.delete(id)),
    );
    return work;
  }

  #makeReady(id: string): Promise<string> {
    let ready = this.#ready.get(id);
    if (!ready) {
      ready = this.#prepare(id);
      this.#ready.set(id, ready);
      ready.catch(() => this.#ready.delete(id));
    }
    return ready;
  }

  async #prepare(id: string): Promise<string> {
    const repository = this.pathOf(id);
    if (await isThere(path.join(repository, 'HEAD'))) {
      await this.#clear(id);
      return repository;
    }
    // A half-made repository never has its name. Two processes may make it at the same time.
    const made = `${repository}.${this.#keeper.isKeeper ? 'new' : 'beside'}`;
    await rm(made, { recursive: true, force: true });
    await mkdir(made, { recursive: true, mode: 0o700 });
    const args = ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', '.'];
    await this.#git.output({ repository: made, access: 'WRITE', args });
    try {
      await rename(made, repository);
    } catch (error) {
      if (!(await isThere(path.join(repository, 'HEAD')))) throw error;
      await rm(made, { recursive: true, force: true });
    }
    return repository;
  }

  async #setHead(repository: string, branch: string): Promise<void> {
    const isSet = async (): Promise<boolean> =>
      (await readFile(path.join(repository, 'HEAD'), 'utf8')).trim() === `ref: refs/heads/${branch}`;
    if (await isSet()) return;
    const args = ['symbolic-ref', 'HEAD', `refs/heads/${branch}`];
    try {
      await this.#git.output({ repository, access: 'WRITE', args });
    } catch (error) {
      // Another request may have done the same at the same time.
      if (!(await isSet())) throw error;
    }
  }
}

/** The names in a folder; none when it is not there, or vanishes meanwhile. */
export async function listed(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** Bytes of all files below a folder. Files that vanish meanwhile count nothing. */
export async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await listed(folder)) {
    const file = path.join(folder, name);
    try {
      const found = await stat(file);
      bytes += found.isDirectory() ? await bytesOf(file) : found.size;
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return bytes;
}

/** Removes what pushes have left that were killed. Call while nobody writes. */
async function clearLeftovers(repository: string): Promise<void> {
  for (const name of await listed(repository))
    if (LOCK.test(name) || name.startsWith(INDEX_PREFIX)) await removeAll(path.join(repository, name));
  await clear(path.join(repository, 'refs'), LOCK);
  const objects = path.join(repository, 'objects');
  for (const folder of ['', 'pack', 'info', 'info/commit-graphs']) {
    const target = path.join(objects, folder);
    for (const name of await listed(target)) if (UNFINISHED.test(name)) await removeAll(path.join(target, name));
  }
}

async function clear(folder: string, pattern: RegExp): Promise<void> {
  for (const name of await listed(folder)) {
    const file = path.join(folder, name);
    if (await isFolder(file)) await clear(file, pattern);
    else if (pattern.test(name)) await removeAll(file);
  }
}

function removeAll(file: string): Promise<void> {
  return rm(file, { recursive: true, force: true });
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

async function isFolder(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
