import { isOutage } from '../../../foundation/storage/index.ts';

/** So often the same instances may be advanced by somebody else before they are told apart. */
const CONFLICTS = 3;
/** With more instances their conflicts are counted anew. */
const MOST_CONFLICTS = 10_000;
/** How often one event is tried: about 8 minutes with the pauses between; an hour when it is not the database that refuses it. */
const TRIES = 20;
const TRIES_ELSEWHERE = 125;
const TRIES_TO_HOLD = 3;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** So long after its last failure an instance is advanced apart from others. */
const WATCHED_MS = 120_000;

interface Suspect {
  /** How often one event of it, alone, could not be written. */
  failures: number;
  /** Monotonic milliseconds: when it has its next turn. */
  due: number;
  /** Monotonic milliseconds of the last failure of this instance alone; null: it was only part of a batch. */
  failed: number | null;
  /** Why it is not tried any more: its next turn ends or holds it. */
  givenUp: Cause | null;
}

/** All that there was of it, one end, one event, or, once it is given up, its end. */
type Tried = 'ALL' | 'END' | 'EVENT' | 'ITS_END';

/** What a turn of a suspect takes: all that it has, one thing, or nothing because it is given up. */
export interface SuspectTurn {
  readonly id: string;
  readonly takes: 'ALL' | 'ONE';
  readonly givenUp: Cause | null;
}

export interface Cause {
  readonly cause: string;
  /** It ends; else it is held with an incident. */
  readonly isFinal: boolean;
}

/**
 * Instances of a batch that could not be written. Each is tried by itself, so that the culprit takes nobody along; of the
 * culprit one event or end at a time, in growing pauses, until it is given up with the cause. Others have every second turn.
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

  /** The suspect whose turn it is, if it is that of one. */
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

  /** Whether somebody has a turn by now. */
  get areDue(): boolean {
    const now = this.#now();
    return this.#all.values().some(({ due }) => due <= now);
  }

  /** Somebody else has advanced one of these. False when that has happened too often in a row to be chance. */
  mayConflict(ids: readonly string[]): boolean {
    if (this.#conflicts.size > MOST_CONFLICTS) this.#conflicts.clear();
    for (const id of ids) this.#conflicts.set(id, (this.#conflicts.get(id) ?? 0) + 1);
    return ids.every((id) => (this.#conflicts.get(id) ?? 0) <= CONFLICTS);
  }

  /** These could not be written together: each is to be tried by itself. */
  suspect(ids: readonly string[]): void {
    for (const id of ids) {
      this.#conflicts.delete(id);
      if (!this.#all.has(id)) this.#all.set(id, { failures: 0, due: 0, failed: null, givenUp: null });
    }
  }

  /** What was tried of this one, alone, could not be written. An end is tried again by whoever has told of it. */
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
    // One that cannot be held either is ended: that writes less.
    if (tried === 'ITS_END' && one.givenUp?.isFinal === false && one.failures >= TRIES_TO_HOLD) {
      one.givenUp = { ...one.givenUp, isFinal: true };
      one.failures = 0;
      return;
    }
    if (one.failures < (isOfDatabase(error) ? TRIES : TRIES_ELSEWHERE)) return;
    // Even its end cannot be written: the next process tries it.
    if (tried === 'ITS_END') one.due = Number.POSITIVE_INFINITY;
    else this.#giveUp(id, { cause: causeOf(error), isFinal: false });
  }

  /** Its next turn holds it. */
  hold(id: string, cause: string): void {
    this.#giveUp(id, { cause, isFinal: false });
  }

  /** Its next turn ends it. */
  giveUp(id: string, cause: string): void {
    this.#giveUp(id, { cause, isFinal: true });
  }

  #giveUp(id: string, cause: Cause): void {
    const before = this.#all.get(id);
    if (before?.givenUp == null) this.#all.set(id, { failures: 0, due: 0, failed: this.#now(), givenUp: cause });
  }

  /** These are written. Whoever has failed alone stays apart for a while. */
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

  /** It has nothing to do now. */
  isIdle(id: string): void {
    const one = this.#all.get(id);
    if (!one) return;
    this.#all.delete(id);
    if (one.failed === null || this.#now() - one.failed > WATCHED_MS) return;
    one.due = this.#now() + FIRST_PAUSE_MS;
    this.#all.set(id, one);
  }
}

/** Whether the database has refused what it was asked to write. */
function isOfDatabase(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return !isOutage(error) && /^(SQLITE_|[0-9A-Z]{5}$)/.test(code);
}

/** A cause without what an instance holds: the database repeats values in its messages. */
function causeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return `The platform could not write down what has happened to the workflow${code}. The operator finds the cause in the log.`;
}
