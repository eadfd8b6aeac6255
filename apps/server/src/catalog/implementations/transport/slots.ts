import { FairSlots } from '@kethub/runtime/slots';
import { networkOf } from '../../../foundation/http/index.ts';
import { GitRefusal } from './refusal.ts';

/** Seconds after which a refused client may try again. */
const RETRY_SECONDS = '5';

/** Bounds the transfers that run at once, in all and of one caller. */
export class TransferSlots {
  readonly #slots: FairSlots;
  readonly #ofCaller: number;

  constructor({ inAll, ofCaller }: { readonly inAll: number; readonly ofCaller: number }) {
    this.#slots = new FairSlots(inAll, ofCaller);
    this.#ofCaller = ofCaller;
  }

  /** Takes a slot. Returns a function that gives it back, once. Throws a GitRefusal of 503. */
  take(caller: string): () => void {
    const own = this.#slots.takenBy(caller);
    const release = this.#slots.take(caller);
    if (release) return release;
    const text =
      own >= this.#ofCaller
        ? `You have ${own} transfers under way, which is the limit.`
        : 'The platform has as many transfers under way as it can.';
    throw new GitRefusal(503, `${text} Try again in ${RETRY_SECONDS} seconds.`, { 'retry-after': RETRY_SECONDS });
  }
}

/** The name under which a caller has slots: visitors share those of their network. */
export function callerName(personId: string | null, address: string): string {
  return personId ?? `network ${networkOf(address)}`;
}
