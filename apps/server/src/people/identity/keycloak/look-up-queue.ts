import { IdentityProviderUnavailable } from '../identity-provider.ts';

/** Milliseconds that a look-up may wait; then it fails. */
const WAITS_MS = 3_000;
/** Look-ups that may wait; more fail at once. */
const MOST_WAITING = 2_000;

/** Limits the concurrent look-ups at a server. */
export class LookUpQueue {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs `ask` in a slot. Throws IdentityProviderUnavailable if no slot becomes free in time. */
  async run<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#running < this.#most) this.#running++;
    else await this.#slot();
    try {
      return await ask();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  /** Resolves when another look-up ends and hands over its slot. */
  #slot(): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING)
      throw new IdentityProviderUnavailable(new Error(`${MOST_WAITING} look-ups wait already`));
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(new IdentityProviderUnavailable(new Error(`a look-up waited ${WAITS_MS} ms for a slot`)));
      }, WAITS_MS);
      this.#waiting.push(begin);
    });
  }
}
