import { IdentityProviderUnavailable } from './identity-provider.ts';

/** Milliseconds that one call may take; then it counts as failed. Keycloak answers in 2 to 20 ms. */
const CALL_MS = 2_500;
/** Failures in a row after which the circuit opens. */
const FAILURES = 5;
/** Milliseconds for which the open circuit lets no call through. */
const OPEN_MS = 10_000;

/**
 * A circuit breaker for a server that may be down. Each call may take 2.5 s. After five failures in a row no call is
 * made for 10 s, so that requests are refused at once instead of piling up. Then one call tries whether the server is
 * back.
 */
export class CircuitBreaker {
  readonly #now: () => number;
  #failures = 0;
  #openUntil = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Runs `call`. Throws IdentityProviderUnavailable if it fails, takes too long, or is not made. */
  async run<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#failures >= FAILURES) {
      const left = this.#openUntil - this.#now();
      // More than OPEN_MS is left only when the clock was set back.
      if (left > 0 && left <= OPEN_MS)
        throw new IdentityProviderUnavailable(new Error(`not called: ${this.#failures} calls in a row failed`));
      // This call tries; calls that come meanwhile are refused.
      this.#openUntil = this.#now() + CALL_MS;
    }
    try {
      const result = await call(AbortSignal.timeout(CALL_MS));
      this.#failures = 0;
      return result;
    } catch (error) {
      this.#failures++;
      this.#openUntil = this.#now() + OPEN_MS;
      throw new IdentityProviderUnavailable(error);
    }
  }
}
