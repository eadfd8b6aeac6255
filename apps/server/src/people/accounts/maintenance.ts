import { rmSync } from 'node:fs';
import { forgetDeletions, listBegunDeletions } from '../deletions/index.ts';
import { sweepOrphans, type AccountDeletionRow } from '../../foundation/storage/index.ts';
import type { AccountServices } from './services.ts';
import { finishDeletion } from './finish-deletion.ts';
import { updateSearch } from './search-changes.ts';
import { uploadFolder } from './profile-image.ts';

/** Milliseconds between two rounds. */
const EVERY_MS = 60_000;
/** Rows that are read at a time. */
const AT_ONCE = 100;
/** Milliseconds for which an ended deletion is kept: longer than any request, access token or cached identity. */
const DELETION_KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Completes interrupted work, at the start and every minute: continues deletions of accounts, deletes unused blobs, and
 * updates the search. The start also deletes uploads that a crash has interrupted.
 */
export class AccountMaintenance {
  readonly #services: AccountServices;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;
  #round: Promise<void> = Promise.resolve();

  constructor(services: AccountServices) {
    this.#services = services;
  }

  start(): void {
    rmSync(uploadFolder(this.#services.platform), { recursive: true, force: true });
    this.#timer = setInterval(() => this.#begin(), EVERY_MS).unref();
    this.#begin();
  }

  /** Waits for the current step; the next start does the rest. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#round;
  }

  #begin(): void {
    this.#round = this.#round.then(() => this.#all());
  }

  async #all(): Promise<void> {
    const { platform } = this.#services;
    try {
      await this.#finishDeletions();
      while (!this.#stopped && (await updateSearch(this.#services, AT_ONCE)) === AT_ONCE);
      await sweepOrphans(platform.database, platform.blobs, platform.now());
      const before = platform.now() - DELETION_KEPT_MS;
      await platform.database.write((transaction) => forgetDeletions(transaction, before));
    } catch (error) {
      platform.log.warn({ err: error }, 'maintenance of accounts failed; the next round tries again');
    }
  }

  async #finishDeletions(): Promise<void> {
    const { read } = this.#services.platform.database;
    let last = '';
    for (;;) {
      const some = await listBegunDeletions(read, last, AT_ONCE);
      for (const deletion of some) {
        if (this.#stopped) return;
        await this.#finish(deletion);
        last = deletion.user_id;
      }
      if (some.length < AT_ONCE) return;
    }
  }

  /** Logs a failure, so that the other deletions go on. */
  async #finish(deletion: AccountDeletionRow): Promise<void> {
    try {
      await finishDeletion(this.#services, deletion);
    } catch (error) {
      this.#services.platform.log.warn({ err: error }, 'a deletion of an account is not complete; it is tried again');
    }
  }
}
