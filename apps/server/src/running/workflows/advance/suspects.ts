import { isOutage } from '../../../foundation/storage/index.ts';

/** Number of conflicts in a row that may be chance. Beyond it, the instances are tried one by one. */
const CONFLICTS = 3;
/** Number of instances whose conflicts are counted. Beyond it, counting starts again. */
const MOST_CONFLICTS = 10_000;
/**
 * Tries of one event that the database refuses: about 8 minutes with the pauses. Other errors: an hour. Then the
 * instance is suspended.
 */
const TRIES = 20;
const TRIES_ELSEWHERE = 125;
const TRIES_TO_SUSPEND = 3;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Milliseconds after its last failure for which an instance is advanced apart from others. */
const WATCHED_MS = 120_000;

interface Suspect {
  /** Number of failed tries of one single event. */
  failures: number;
  /** Time of its next turn, in monotonic milliseconds. */
  due: number;
  /** Time of the last failure of this instance alone, in monotonic milliseconds; null: it was only part of a batch. */
  failed: number | null;
  /** Reason why it is given up: its next turn ends or suspends it. */
  givenUp: Cause | null;
}

/** The part of an instance that was tried: all events and ends, one end, one event, or its own end. */
type Tried = 'ALL' | 'END' | 'EVENT' | 'ITS_END';

/** The turn of a suspect: it takes all events and ends, one of them, or none because the instance is given up. */
export interface SuspectTurn {
  readonly id: string;
  readonly takes: 'ALL' | 'ONE';
  readonly givenUp: Cause | null;
}

export interface Cause {
  readonly cause: string;
  /** True if the instance ends; otherwise it is suspended with an incident. */
  readonly isFinal: boolean;
}

/**
 * Instances of a batch that could not be written. Each is tried by itself, so that only the culprit fails.
 *
 * One event or end of the culprit is tried at a time, in growing pauses, until it is given up with the cause. Every
 * second turn goes to other instances.
 */
export class Suspects {
  readonly #all = new Map<string, Suspect>();
  readonly #conflicts = new Map<string, number>();
  readonly #now: () => number;
  #wasLast = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  has(id: string): boolean {
    return this.#all.has(id);
  }

  get ids(): readonly string[] {
    return [...this.#all.keys()];
  }

  /** The suspect whose turn it is; null when it is the turn of other instances. */
  next(busy: ReadonlySet<string>): SuspectTurn | null {
    if (this.#wasLast || this.#all.size === 0) {
      this.#wasLast = false;
      return null;
    }
    const now = this.#now();
    const found = this.#all.entries().find(([id, { due }]) => due <= now && !busy.has(id));
    if (!found) return null;
    this.#wasLast = true;
    const [id, { failed, givenUp }] = found;
    return { id, takes: failed === null || givenUp !== null ? 'ALL' : 'ONE', givenUp };
  }

  /** True if a suspect is due. */
  get areDue(): boolean {
    const now = this.#now();
    return this.#all.values().some(({ due }) => due <= now);
  }

  /** Counts a conflict. Returns false when there were too many in a row to be chance. */
  mayConflict(ids: readonly string[]): boolean {
    if (this.#conflicts.size > MOST_CONFLICTS) this.#conflicts.clear();
    for (const id of ids) this.#conflicts.set(id, (this.#conflicts.get(id) ?? 0) + 1);
    return ids.every((id) => (this.#conflicts.get(id) ?? 0) <= CONFLICTS);
  }

  /** Adds instances that could not be written together: each is tried by itself. */
  suspect(ids: readonly string[]): void {
    for (const id of ids) {
      this.#conflicts.delete(id);
      if (!this.#all.has(id)) this.#all.set(id, { failures: 0, due: 0, failed: null, givenUp: null });
    }
  }

  /** Records that a try of this instance alone could not be written. Whoever has reported an end tries it again. */
  failed(id: string, error: unknown, tried: Tried): void {
    const one = this.#all.get(id) ?? { failures: 0, due: 0, failed: null, givenUp: null };
    // Behind all other suspects.
    this.#all.delete(id);
    this.#all.set(id, one);
    this.#conflicts.delete(id);
    one.failed = this.#now();
    one.due = one.failed;
    if (tried === 'ALL' || tried === 'END') return;
    one.failures += 1;
    one.due += Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(one.failures - 1, 10));
    // An instance that cannot be suspended either is ended: that writes less.
    if (tried === 'ITS_END' && one.givenUp?.isFinal === false && one.failures >= TRIES_TO_SUSPEND) {
      one.givenUp = { ...one.givenUp, isFinal: true };
      one.failures = 0;
      return;
    }
    if (one.failures < (isOfDatabase(error) ? TRIES : TRIES_ELSEWHERE)) return;
    // Its end cannot be written either: the next process tries it.
    if (tried === 'ITS_END') one.due = Number.POSITIVE_INFINITY;
    else this.#giveUp(id, { cause: causeOf(error), isFinal: false });
  }

  /** Has the next turn suspend the instance. */
  suspend(id: string, cause: string): void {
    this.#giveUp(id, { cause, isFinal: false });
  }

  /** Has the next turn end the instance. */
  giveUp(id: string, cause: string): void {
    this.#giveUp(id, { cause, isFinal: true });
  }

  #giveUp(id: string, cause: Cause): void {
    const before = this.#all.get(id);
    if (before?.givenUp == null) this.#all.set(id, { failures: 0, due: 0, failed: this.#now(), givenUp: cause });
  }

  /** Removes instances that were written. One that has failed alone stays apart for a while. */
  wrote(ids: readonly string[]): void {
    for (const id of ids) {
      this.#conflicts.delete(id);
      const one = this.#all.get(id);
      if (!one) continue;
      this.#all.delete(id);
      if (one.givenUp !== null || one.failed === null || this.#now() - one.failed > WATCHED_MS) continue;
      this.#all.set(id, { ...one, failures: 0, due: 0 });
    }
  }

  /** Records that the instance has no work now. */
  isIdle(id: string): void {
    const one = this.#all.get(id);
    if (!one) return;
    this.#all.delete(id);
    if (one.failed === null || this.#now() - one.failed > WATCHED_MS) return;
    one.due = this.#now() + FIRST_PAUSE_MS;
    this.#all.set(id, one);
  }
}

/** Returns whether the database has refused a statement. */
function isOfDatabase(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return !isOutage(error) && /^(SQLITE_|[0-9A-Z]{5}$)/.test(code);
}

/** The cause without values of the instance: the database repeats them in its messages. */
function causeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return `The platform could not write down what has happened to the workflow${code}. The operator finds the cause in the log.`;
}
