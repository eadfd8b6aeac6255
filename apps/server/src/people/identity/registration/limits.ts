import { networkOf, RateLimiter } from '../../../foundation/http/index.ts';

/** A course that registers in one room, behind one address, fits in. */
const PER_NETWORK = { name: 'mails per network', units: 100, seconds: 60 * 60 };
/** Five at once, then one an hour. */
const PER_ADDRESS = { name: 'mails per address', units: 5, seconds: 5 * 60 * 60 };

/** Whether a mail may be sent. REFUSED may be told; that an address has had enough mails is told to nobody. */
export type MailAllowance =
  | { readonly kind: 'ALLOWED' | 'ENOUGH' }
  | { readonly kind: 'REFUSED'; readonly retryAfter: number };

/** Bounds how many mails strangers can have sent. In the memory of this process: of several, each counts for itself. */
export class MailLimits {
  readonly #networks: RateLimiter;
  readonly #addresses: RateLimiter;

  constructor(now: () => number) {
    this.#networks = new RateLimiter(PER_NETWORK, now);
    this.#addresses = new RateLimiter(PER_ADDRESS, now);
  }

  /** Counts one mail to `email` that is asked for from the network address `from`. */
  take(email: string, from: string): MailAllowance {
    const network = this.#networks.take(networkOf(from));
    if (!network.allowed) return { kind: 'REFUSED', retryAfter: network.retryAfter };
    return { kind: this.#addresses.take(mailboxOf(email)).allowed ? 'ALLOWED' : 'ENOUGH' };
  }
}

/** ada+1@example.org and ada+2@example.org are usually one mailbox. */
function mailboxOf(email: string): string {
  return email.replace(/\+[^@]*@/, '@');
}
