import { IdentityProviderUnavailable } from './identity-provider.ts';

/** A person waits behind each call; Keycloak answers in 2 to 20 ms. */
const LIMIT_MS = 2_500;
/** So many failures in a row are no accident. */
const FAILURES = 5;
const REST_MS = 10_000;

/**
 * Calls of a server that may be down. Each has at most 2.5 s. After five failures in a row no call is made for 10 s, so
 * that requests are refused at once instead of piling up; then one call tries whether the server is back.
 */
export class CircuitBreaker {
  readonly #now: () => number;
  #failures = 0;
  #closedUntil = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What `call` returns. Throws IdentityProviderUnavailable when it fails, takes too long or is not made. */
  async run<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#failures >= FAILURES) {
      const rest = this.#closedUntil - this.#now();
      // More than that is left only when the clock was set back.
      if (rest > 0 && rest <= REST_MS)
        throw new IdentityProviderUnavailable(new Error(`not called: ${this.#failures} calls in a row failed`));
      // This one tries; whoever comes meanwhile is refused.
      this.#closedUntil = this.#now() + LIMIT_MS;
    }
    try {
      const result = await call(AbortSignal.timeout(LIMIT_MS));
      this.#failures = 0;
      return result;
    } catch (error) {
      this.#failures++;
      this.#closedUntil = this.#now() + REST_MS;
      throw new IdentityProviderUnavailable(error);
    }
  }
}
