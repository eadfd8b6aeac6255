import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../../foundation/config/index.ts';
import { tryPart } from '../../foundation/process/index.ts';

/** Milliseconds between two looks for a lock that another process has. */
const LOOK_MS = 200;
/** Milliseconds in which a start waits for one of two processes to end, or for the first one to have cleared. */
const LONGEST_WAIT = { serving: 5_000, clearing: 60_000 };

/**
 * The right to look after the repositories of a data folder. One process has it, the keeper. During an update a second
 * process serves the same repositories beside it, and becomes the keeper when the first has ended.
 */
export class Keeper {
  readonly #dataDir: string;
  readonly #begin: (() => void)[] = [];
  #release: () => void;
  #isKeeper: boolean;
  #timer: NodeJS.Timeout | null = null;
  /** Pieces of work that run alone, and the lock that keeps a second process away meanwhile. */
  #working = 0;
  #unlock: (() => void)[] | null = null;

  private constructor(dataDir: string, release: () => void, isKeeper: boolean) {
    this.#dataDir = dataDir;
    this.#release = release;
    this.#isKeeper = isKeeper;
    if (!isKeeper) this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Throws Refusal when two processes serve the repositories already, or the first one goes on clearing them. */
  static async open(dataDir: string, longest = LONGEST_WAIT): Promise<Keeper> {
    const began = performance.now();
    for (;;) {
      const keeping = tryPart(dataDir, 'git');
      if (keeping) return new Keeper(dataDir, keeping, true);
      const beside = tryPart(dataDir, 'git-beside');
      if (beside) return new Keeper(dataDir, beside, false);
      const waited = performance.now() - began;
      if (isClearing(dataDir)) {
        if (waited >= longest.clearing)
          throw new Refusal(
            `The process that uses the repositories in the data folder ${dataDir} removes what killed pushes have left, and lets no other one in meanwhile. Start this one again in a moment.`,
          );
      } else if (waited >= longest.serving)
        throw new Refusal(
          `Two processes use the repositories in the data folder ${dataDir} already, the most that an update needs. Stop the older one, or choose another folder: KETHUB_DATA_DIR=…`,
        );
      await pause(LOOK_MS);
    }
  }

  get isKeeper(): boolean {
    return this.#isKeeper;
  }

  /** Calls `begin` once this process is the keeper: at once if it is already. */
  whenKeeper(begin: () => void): void {
    if (this.#isKeeper) begin();
    else this.#begin.push(begin);
  }

  /** Runs work while no other process serves the repositories, and none begins to. Returns false if one does. */
  async alone(work: () => Promise<void>): Promise<boolean> {
    if (!this.#isKeeper) return false;
    this.#unlock ??= this.#lockOut();
    if (!this.#unlock) return false;
    this.#working++;
    try {
      await work();
    } finally {
      this.#working--;
      if (this.#working === 0) {
        for (const unlock of this.#unlock) unlock();
        this.#unlock = null;
      }
    }
    return true;
  }

  /** Does not become the keeper any more. */
  stopWaiting(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  close(): void {
    this.stopWaiting();
    this.#release();
  }

  /** Keeps a second process away, and says why. Null while there is one. */
  #lockOut(): (() => void)[] | null {
    const beside = tryPart(this.#dataDir, 'git-beside');
    if (!beside) return null;
    const clears = tryPart(this.#dataDir, 'git-clears');
    return clears ? [clears, beside] : [beside];
  }

  #look(): void {
    const keeping = this.#tryToKeep();
    if (!keeping) return;
    this.stopWaiting();
    this.#release();
    this.#release = keeping;
    this.#isKeeper = true;
    for (const begin of this.#begin.splice(0)) begin();
  }

  #tryToKeep(): (() => void) | null {
    try {
      return tryPart(this.#dataDir, 'git');
    } catch {
      // The disk, or the number of open files, refuses the lock file at the moment. The next look tries again.
      return null;
    }
  }
}

/** Returns whether the keeper has locked out a second process to clear the repositories. */
function isClearing(dataDir: string): boolean {
  const clears = tryPart(dataDir, 'git-clears');
  clears?.();
  return clears === null;
}
