import { Problem, RateLimiter } from '../../foundation/http/index.ts';
import type { Mail, Mailer } from '../../foundation/mail/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';

const DAY = 24 * 60 * 60;
const PER_PERSON = { name: 'invitations', units: 100, seconds: DAY };
/** Limit of invitations from all organizations to one mailbox, so that many organizations cannot fill it. */
const PER_MAILBOX = { name: 'mails per mailbox', units: 3, seconds: DAY };

/** Kinds of what people are invited to. */
export type InvitedTo = 'ORGANIZATION' | 'IMPLEMENTATION';

/**
 * Mails of invitations. They name neither the organization or implementation nor the person who invites, so that a stranger cannot write
 * text into a mail. Each process counts the limits in memory.
 */
export class InvitationMails {
  readonly #platform: Platform;
  readonly #mailer: Mailer;
  readonly #persons: RateLimiter;
  readonly #mailboxes: RateLimiter;

  constructor(platform: Platform, mailer: Mailer) {
    this.#platform = platform;
    this.#mailer = mailer;
    this.#persons = new RateLimiter(PER_PERSON, platform.now);
    this.#mailboxes = new RateLimiter(PER_MAILBOX, platform.now);
  }

  /** Counts an invitation by this person. Throws too-many-requests. */
  take(personId: string): void {
    const decision = this.#persons.take(personId);
    if (decision.allowed) return;
    const { retryAfter } = decision;
    throw new Problem(
      'too-many-requests',
      `One person may invite ${PER_PERSON.units} times a day. Try again in ${retryAfter} seconds.`,
      { headers: { 'retry-after': String(retryAfter) } },
    );
  }

  /**
   * Posts the mail of an invitation. A mailbox over its limit gets none; its owner finds the invitation at the next
   * visit.
   */
  async post(transaction: Queries, to: InvitedTo, email: string, expiresAt: number): Promise<void> {
    // ada+1@example.org and ada+2@example.org are usually one mailbox.
    if (!this.#mailboxes.take(email.replace(/\+[^@]*@/, '@')).allowed) return;
    await this.#mailer.post(transaction, { to: email, ...invitationMail(this.#platform, to) }, expiresAt);
  }

  wake(): void {
    this.#mailer.wake();
  }
}

const TEXTS: Readonly<Record<InvitedTo, { what: string; list: string; accept: string }>> = {
  ORGANIZATION: { what: 'join an organization', list: 'ket org invitations', accept: 'ket org join <id>' },
  IMPLEMENTATION: {
    what: 'work on an implementation, a Git repository,',
    list: 'ket repo invitations',
    accept: 'ket repo join <id>',
  },
};

function invitationMail({ addresses }: Platform, to: InvitedTo): Omit<Mail, 'to'> {
  const { what, list, accept } = TEXTS[to];
  return {
    subject: `You are invited to an ${to.toLowerCase()} at Kethub`,
    text: `Somebody has invited this e-mail address to ${what} at Kethub.

Sign in with an account that has this address, or register one:

${new URL(addresses.api).origin}

Then look at the invitation and accept or decline it:

${list}
${accept}

The invitation ends after 14 days. If you do not want it, do nothing.
`,
  };
}
