import { networkOf, RateLimiter } from '../../../foundation/http/index.ts';

/** Mails an hour for one network, enough for a course that registers behind one address; more are refused. */
const PER_NETWORK = { name: 'mails per network', units: 100, seconds: 60 * 60 };
/** Mails to one mailbox: five at once, then one an hour. More are silently not sent. */
const PER_ADDRESS = { name: 'mails per address', units: 5, seconds: 5 * 60 * 60 };

/** Decision about a mail. REFUSED is shown to the caller. ENOUGH is not: it would reveal mails to the address. */
export type MailAllowance =
  | { readonly kind: 'ALLOWED' | 'ENOUGH' }
  | { readonly kind: 'REFUSED'; readonly retryAfter: number };

/** Limits the mails that strangers can cause. Counted in memory: each process has its own counters. */
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

/** The mailbox of an address: ada+1@example.org and ada+2@example.org usually share one. */
function mailboxOf(email: string): string {
  return email.replace(/\+[^@]*@/, '@');
}
