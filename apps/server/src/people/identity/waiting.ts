import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';
import { IdentityProviderUnavailable } from './identity-provider.ts';

/** Milliseconds that one request may wait. Longer than one call may take, so that the call notices a silent server. */
const LIMIT_MS = 3_000;

/** The time that one request has waited for the identity provider. Questions asked at the same time count once. */
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

/** The wait of the current request. A parameter would have to pass through every room that asks for a person. */
const requests = new AsyncLocalStorage<Wait>();

/** Returns what `ask` returns. Throws IdentityProviderUnavailable when the current request has waited 3 s altogether. */
export function limitWaiting<T>(ask: () => Promise<T>): Promise<T> {
  return (requests.getStore() ?? new Wait()).limit(ask);
}

/** Makes all questions of one request of `app` share one limit. */
export function limitWaitingOfRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, _reply, done) => requests.run(new Wait(), done));
}

/** A call that comes too late goes on, to its own limit: its answer may be one that others wait for. */
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
