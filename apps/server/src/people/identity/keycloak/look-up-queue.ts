import { IdentityProviderUnavailable } from '../identity-provider.ts';

/** A person waits behind each look-up; what waited longer, in milliseconds, is not begun any more. */
const WAITS_MS = 3_000;
/** Beyond so many look-ups that wait, more are refused at once. */
const MOST_WAITING = 2_000;

/** Bounds the look-ups at a server that are under way at once. */
export class LookUpQueue {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** What `ask` returns. Throws IdentityProviderUnavailable when its turn does not come in time. */
  async run<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#running < this.#most) this.#running++;
    else await this.#turn();
    try {
      return await ask();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  /** Resolves when somebody else hands their place over. */
  #turn(): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING)
      throw new IdentityProviderUnavailable(new Error(`${MOST_WAITING} look-ups wait already`));
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(new IdentityProviderUnavailable(new Error(`a look-up waited ${WAITS_MS} ms for its turn`)));
      }, WAITS_MS);
      this.#waiting.push(begin);
    });
  }
}
