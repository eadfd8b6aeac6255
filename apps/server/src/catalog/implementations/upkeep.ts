import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Platform } from '../../foundation/platform.ts';
import { isAmong } from '../../foundation/storage/index.ts';
import type { Git } from './git/git.ts';
import { listed, type Repositories } from './git/repositories.ts';
import { findImplementation } from './queries.ts';
import { recordState, stateOf } from './record-push.ts';

/** Milliseconds between two rounds. */
const ROUND_MS = 60_000;
/** Milliseconds for which the folder of a deleted implementation is kept. */
const TRASH_MS = 7 * 24 * 60 * 60 * 1000;
/** Folders whose rows are looked up together. */
const CHUNK = 200;
/** Packs of a repository beyond which its packs are joined: small ones, or all of them. */
const SMALL_PACKS = 4;
const ALL_PACKS = 20;

/**
 * Looks after the repositories, one at a time: joins packs after pushes, moves the folders of deleted implementations to
 * the trash, and empties it. The first round also finds pushes whose end was not recorded.
 */
export class Upkeep {
  readonly #platform: Platform;
  readonly #git: Git;
  readonly #repositories: Repositories;
  readonly #pushed = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> = Promise.resolve();
  #isFirst = true;
  #isStopped = false;

  constructor(platform: Platform, git: Git, repositories: Repositories) {
    this.#platform = platform;
    this.#git = git;
    this.#repositories = repositories;
  }

  start(): void {
    this.#schedule(0);
  }

  /** Notes that a repository has changed. */
  pushed(id: string): void {
    this.#pushed.add(id);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#round;
  }

  /** Runs one round. */
  async run(): Promise<void> {
    await this.#discardDeleted();
    await this.#emptyTrash();
    if (this.#isFirst) await this.#recordAll();
    this.#isFirst = false;
    const pushed = [...this.#pushed];
    for (const id of pushed) {
      if (this.#isStopped) return;
      this.#pushed.delete(id);
      // A push that goes on adds it again.
      if (!this.#repositories.isWritten(id)) await this.#careFor(id, () => this.#pack(id));
    }
  }

  /** Runs work on one repository. Its failure is logged, so that a damaged repository is no harm to the others. */
  async #careFor(id: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#isStopped) return;
      this.#platform.log.error({ err: error, implementation: id }, 'the upkeep of a repository failed');
    }
  }

  #schedule(milliseconds: number): void {
    this.#timer = setTimeout(() => {
      this.#round = this.run()
        .catch((error: unknown) => {
          if (!this.#isStopped) this.#platform.log.error({ err: error }, 'the upkeep of repositories failed');
        })
        .then(() => {
          if (!this.#isStopped) this.#schedule(ROUND_MS);
        });
    }, milliseconds);
    this.#timer.unref();
  }

  async #discardDeleted(): Promise<void> {
    const { database, now } = this.#platform;
    let chunk: string[] = [];
    const look = async (): Promise<void> => {
      const among = isAmong(database.read, 'id', chunk);
      const rows = await database.read.selectFrom('implementations').select('id').where(among).execute();
      const known = new Set(rows.map(({ id }) => id));
      for (const id of chunk)
        if (!known.has(id) && !this.#repositories.isWritten(id)) await this.#repositories.discard(id, now());
      chunk = [];
    };
    for await (const id of this.#repositories.ids()) {
      chunk.push(id);
      if (chunk.length >= CHUNK) await look();
    }
    if (chunk.length > 0) await look();
  }

  async #emptyTrash(): Promise<void> {
    const { trash } = this.#repositories;
    for (const name of await listed(trash)) {
      const since = Number(/^(\d+)-/.exec(name)?.[1]);
      if (since < this.#platform.now() - TRASH_MS) await rm(path.join(trash, name), { recursive: true, force: true });
    }
  }

  async #recordAll(): Promise<void> {
    for await (const id of this.#repositories.ids()) {
      if (this.#isStopped) return;
      await this.#careFor(id, () => this.#record(id));
      this.#pushed.add(id);
    }
  }

  async #record(id: string): Promise<void> {
    const implementation = await findImplementation(this.#platform.database.read, id);
    if (!implementation || this.#repositories.isWritten(id)) return;
    const repository = await this.#repositories.open(implementation);
    const state = await stateOf(this.#git, repository, implementation.default_branch);
    const { head, buildable, bytes } = implementation;
    if (state.head === head && state.buildable === buildable && state.bytes === bytes) return;
    await recordState(this.#platform, implementation, state, state.head !== head);
  }

  /**
   * Joins the packs of a repository where there are many, and writes what makes clones and histories fast. It counts as
   * a write, so that nothing of it is taken for the leftovers of a push.
   */
  async #pack(id: string): Promise<void> {
    const implementation = await findImplementation(this.#platform.database.read, id);
    const names = await listed(path.join(this.#repositories.pathOf(id), 'objects/pack'));
    const packs = names.filter((name) => name.endsWith('.pack')).length;
    const hasBitmap = names.some((name) => name.endsWith('.bitmap'));
    if (!implementation || packs === 0 || (packs === 1 && hasBitmap)) return;
    const repository = await this.#repositories.beginWrite(implementation);
    const run = (args: string[]) => this.#git.output({ repository, access: 'WRITE', args });
    let isWhole = false;
    try {
      if (packs > ALL_PACKS || !hasBitmap)
        await run(['repack', '-q', '-d', '-b', '--cruft', '--cruft-expiration=2.weeks.ago']);
      else if (packs > SMALL_PACKS) await run(['repack', '-q', '-d', '--geometric=2', '--write-midx', '-b']);
      await run(['commit-graph', 'write', '--reachable', '--changed-paths', '--no-progress']);
      isWhole = true;
    } finally {
      this.#repositories.endWrite(id, isWhole);
    }
    await this.#record(id);
  }
}
