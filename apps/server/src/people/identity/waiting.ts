import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';
import { IdentityProviderUnavailable } from './identity-provider.ts';

/**
 * Milliseconds that a request may wait; then it fails. Longer than one call, so that the call notices a silent
 * server.
 */
const LIMIT_MS = 3_000;

/** The time that a request has waited for the identity provider. Concurrent calls count once. */
class Wait {
  #over = 0;
  #open = 0;
  #since = 0;

  async limit<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#open++ === 0) this.#since = performance.now();
    try {
      return await within(ask, LIMIT_MS - this.#over - (performance.now() - this.#since));
    } finally {
      if (--this.#open === 0) this.#over += performance.now() - this.#since;
    }
  }
}

/** The wait of the current request. A parameter would have to pass through all code that looks up people. */
const requests = new AsyncLocalStorage<Wait>();

/** Runs `ask`. Throws IdentityProviderUnavailable if the current request has waited 3 s in total. */
export function limitWaiting<T>(ask: () => Promise<T>): Promise<T> {
  return (requests.getStore() ?? new Wait()).limit(ask);
}

/** Makes all calls of a request to `app` share one limit. */
export function limitWaitingOfRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, _reply, done) => requests.run(new Wait(), done));
}

/** Waits for `ask`. A call that is too late goes on until its own limit, because others may wait for its answer. */
async function within<T>(ask: () => Promise<T>, milliseconds: number): Promise<T> {
  const tooLate = (): Error =>
    new IdentityProviderUnavailable(new Error(`one request has waited ${LIMIT_MS} ms for answers`));
  if (milliseconds <= 0) throw tooLate();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(tooLate()), milliseconds);
  try {
    return await Promise.race([late.promise, ask()]);
  } finally {
    clearTimeout(timer);
  }
}
