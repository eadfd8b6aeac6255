import { mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Problem } from '../../../foundation/http/index.ts';
import { GitFailure, type Git, type GitEnd, type GitRun } from '../git/git.ts';

const INDEX = ['index-pack', '--stdin', '--fix-thin', '--strict'];
/** Characters of a reason of Git that a problem repeats. */
export const REASON_LENGTH = 300;

/**
 * Objects that are being made for a commit. They are in a folder of their own, so that a refused commit leaves nothing.
 * They become one pack of the repository after the checks that a pushed pack passes.
 */
export class Quarantine {
  readonly #git: Git;
  readonly #repository: string;
  /** Paths in the repository: of the objects as they are made, and of their pack while it is checked. */
  readonly #made: string;
  readonly #checked: string;

  /** @param folder name of a folder in the repository, which is there. */
  constructor(git: Git, repository: string, folder: string) {
    this.#git = git;
    this.#repository = repository;
    this.#made = `${folder}/made`;
    this.#checked = `${folder}/checked`;
  }

  async open(): Promise<void> {
    for (const folder of [this.#made, this.#checked]) await mkdir(path.join(this.#repository, folder));
  }

  /** A run of Git that writes its objects here, and reads those of the repository as well. */
  run(args: readonly string[], environment: Readonly<Record<string, string>>): GitRun {
    // Only the pack stays, and it is synced.
    return { ...this.#runIn(this.#made, args, environment), settings: [['core.fsync', 'none']] };
  }

  /** Moves a commit that follows `tip` into the repository. Throws invalid-request for content that a push refuses. */
  async release(commit: string, tip: string | null): Promise<void> {
    const packing = this.#git.spawn(this.run(['pack-objects', '--revs', '--thin', '--stdout', '-q'], {}));
    const indexing = this.#git.spawn(this.#runIn(this.#checked, INDEX, {}));
    indexing.stdout.resume();
    packing.stdin.end(tip === null ? `${commit}\n` : `${commit}\n^${tip}\n`);
    // An indexer ends at the last byte of the pack, or where it refuses, and does not wait for the end of its input.
    await pipeline(packing.stdout, indexing.stdin).catch(() => packing.kill());
    const [packed, indexed] = await Promise.all([packing.ended, indexing.ended]);
    if (indexed.code !== 0) throw refusalOf(packed, indexed);
    await this.#movePack();
  }

  #runIn(objects: string, args: readonly string[], environment: Readonly<Record<string, string>>): GitRun {
    return {
      repository: this.#repository,
      access: 'WRITE',
      args,
      environment: {
        ...environment,
        GIT_OBJECT_DIRECTORY: objects,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: 'objects',
      },
    };
  }

  async #movePack(): Promise<void> {
    const from = path.join(this.#repository, this.#checked, 'pack');
    const to = path.join(this.#repository, 'objects/pack');
    await mkdir(to, { recursive: true });
    // A pack counts as soon as its index is there, which comes last.
    const isIndex = (name: string): number => (name.endsWith('.idx') ? 1 : 0);
    const names = (await readdir(from)).filter((name) => name.startsWith('pack-'));
    for (const name of names.toSorted((a, b) => isIndex(a) - isIndex(b)))
      await rename(path.join(from, name), path.join(to, name));
  }
}

function refusalOf(packed: GitEnd, indexed: GitEnd): Error {
  const reason = /^error: object [0-9a-f]+: (.+)$/m.exec(indexed.message)?.[1];
  if (reason !== undefined)
    return new Problem(
      'invalid-request',
      `Git refuses a file of the commit as unsafe: ${reason.slice(0, REASON_LENGTH)}. Change or leave out this file.`,
    );
  const isPackDamaged = packed.code !== null && packed.code !== 0;
  return isPackDamaged ? new GitFailure(['pack-objects'], packed) : new GitFailure(INDEX, indexed);
}
