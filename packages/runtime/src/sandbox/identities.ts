import type { UserRange } from './user-ranges.ts';

/** Gives every living sandbox a host user of its own, so that sandboxes share no files, signals or counters. */
export class Identities {
  readonly #range: UserRange | null;
  readonly #taken = new Set<number>();

  /** @param range null when we are not root: sandboxes then run as our own user. */
  constructor(range: UserRange | null) {
    this.#range = range;
  }

  /** True if programs run as other users than the runner. */
  get areSeparate(): boolean {
    return this.#range !== null;
  }

  /** Takes an unprivileged user of the host. Null when we are not root. */
  take(): number | null {
    if (this.#range === null) return null;
    const { first, count } = this.#range;
    for (let uid = first; uid < first + count; uid++) {
      if (this.#taken.has(uid)) continue;
      this.#taken.add(uid);
      return uid;
    }
    throw new Error(`All ${count} users for sandboxes are taken.`);
  }

  release(uid: number | null): void {
    if (uid !== null) this.#taken.delete(uid);
  }
}
