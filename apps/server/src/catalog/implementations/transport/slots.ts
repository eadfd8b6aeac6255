import { GitRefusal } from './refusal.ts';

/** Seconds after which a refused client may try again. */
const RETRY_SECONDS = '5';

/** Bounds the transfers that run at once, in all and of one caller. */
export class TransferSlots {
  readonly #inAll: number;
  readonly #ofCaller: number;
  readonly #callers = new Map<string, number>();
  #running = 0;

  constructor(limits: { readonly inAll: number; readonly ofCaller: number }) {
    this.#inAll = limits.inAll;
    this.#ofCaller = limits.ofCaller;
  }

  /** Takes a place. Returns a function that gives it back, once. Throws a GitRefusal of 503. */
  take(caller: string): () => void {
    const own = this.#callers.get(caller) ?? 0;
    if (own >= this.#ofCaller) throw busy(`You have ${own} transfers under way, which is the limit.`);
    if (this.#running >= this.#inAll) throw busy('The platform has as many transfers under way as it can.');
    this.#callers.set(caller, own + 1);
    this.#running++;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#running--;
      const left = (this.#callers.get(caller) ?? 1) - 1;
      if (left > 0) this.#callers.set(caller, left);
      else this.#callers.delete(caller);
    };
  }
}

function busy(text: string): GitRefusal {
  return new GitRefusal(503, `${text} Try again in ${RETRY_SECONDS} seconds.`, { 'retry-after': RETRY_SECONDS });
}
