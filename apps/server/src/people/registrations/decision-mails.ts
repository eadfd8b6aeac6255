import type { Mail } from '../../foundation/mail/index.ts';
import type { AccountState } from '../identity/index.ts';
import type { Platform } from '../../foundation/platform.ts';

/** The mail about a decision; null when the person needs none. */
export function decisionMail({ addresses }: Platform, from: AccountState, to: AccountState): Omit<Mail, 'to'> | null {
  const site = new URL(addresses.api).origin;
  if (from.status !== 'APPROVED' && to.status === 'APPROVED') {
    return {
      subject: 'Your registration at Kethub is approved',
      text: `An administrator has approved your registration at Kethub. Sign in:

${site}

or with the command line:

ket login ${addresses.api}
`,
    };
  }
  if (from.status !== 'REJECTED' && to.status === 'REJECTED') {
    return {
      subject: 'Your registration at Kethub is rejected',
      text: `An administrator has rejected your registration at Kethub. If you think that this is a
mistake, ask those who run it:

${site}
`,
    };
  }
  return null;
}
