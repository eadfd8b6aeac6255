import { readFileSync } from 'node:fs';

/** The first host user of sandboxes: far above what machines give to people and containers. Only root can switch to it. */
const FIRST = 200_000;
/** Inside a container with a small range of users. */
const FIRST_IN_SMALL_RANGE = 20_000;
const COUNT = 10_000;

/** Gives every living sandbox a host user of its own, so that sandboxes share no files, signals or counters. */
export class Identities {
  readonly #first: number | null;
  readonly #taken = new Set<number>();

  constructor() {
    this.#first = process.getuid?.() === 0 ? firstUid() : null;
  }

  /** An unprivileged user of the host, or null when we are not root: then sandboxes run as we do. */
  take(): number | null {
    if (this.#first === null) return null;
    for (let uid = this.#first; uid < this.#first + COUNT; uid++) {
      if (this.#taken.has(uid)) continue;
      this.#taken.add(uid);
      return uid;
    }
    throw new Error(`All ${COUNT} users for sandboxes are taken.`);
  }

  release(uid: number | null): void {
    if (uid !== null) this.#taken.delete(uid);
  }
}

function firstUid(): number {
  // Lines of user_namespaces(7): first inside, first outside, how many.
  for (const line of readFileSync('/proc/self/uid_map', 'latin1').split('\n')) {
    const [inside, , count] = line.trim().split(/\s+/).map(Number);
    if (inside === undefined || count === undefined) continue;
    if (inside <= FIRST && inside + count >= FIRST + COUNT) return FIRST;
  }
  return FIRST_IN_SMALL_RANGE;
}
