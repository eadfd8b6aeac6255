import type { ChangeRegistrationRequest, Registration } from '@kethub/contract';
import { audit } from '../audit/index.ts';
import { Problem, requireMatch, type Tagged } from '../../foundation/http/index.ts';
import {
  isSameState,
  isBlocked,
  type Administration,
  type RegisteredPerson,
  type AccountState,
} from '../identity/index.ts';
import type { Mailer, Mail } from '../../foundation/mail/index.ts';
import type { Person, Platform } from '../../foundation/platform.ts';
import { taggedRegistration } from './present.ts';
import { requirePerson } from './read-registrations.ts';
import { transition } from './transition.ts';

/** An administrator's decision about a person. */
interface Decision {
  readonly administrator: Person;
  /** Id of the person. */
  readonly id: string;
  readonly decision: ChangeRegistrationRequest;
  readonly ifMatch: string | undefined;
}

/** Records a decision. Of two concurrent ones about a person, the second fails and must be made anew. */
export async function changeRegistration(
  platform: Platform,
  mailer: Mailer,
  administration: Administration,
  { administrator, id, decision, ifMatch }: Decision,
): Promise<Tagged<Registration>> {
  const person = await requirePerson(administration, id);
  requireMatch(ifMatch, taggedRegistration(person).tag);
  const to = transition(person, decision);
  if (!to) {
    throw new Problem(
      'conflict',
      `A registration that is ${person.status} cannot become ${decision.status}. To block an approved user, send {"enabled": false}.`,
    );
  }
  if (id === administrator.id && isBlocked(to))
    throw new Problem('conflict', 'You cannot block your own account. Ask another administrator.');
  if (isSameState(person, to)) return taggedRegistration(person);
  const changed = await administration.change(id, person, to);
  if (!changed) throw new Problem('not-found', 'The person has been deleted meanwhile.');
  await recordDecision(platform, mailer, administrator, person, to);
  platform.log.info({ registration: id, administrator: administrator.id, ...to }, 'decided about a registration');
  return taggedRegistration(changed);
}

/** Milliseconds in which a mail is tried. Then it is dropped. */
const MAIL_KEPT_MS = 3 * 24 * 60 * 60 * 1000;

/**
 * Records the decision in the audit log of the person and mails it to them. This follows the change: the identity
 * provider may be another program, which shares no transaction with Kethub.
 */
async function recordDecision(
  platform: Platform,
  mailer: Mailer,
  administrator: Person,
  person: RegisteredPerson,
  to: AccountState,
): Promise<void> {
  const mail = decisionMail(platform, person, to);
  await platform.database.write(async (transaction) => {
    const context = { type: 'USER', id: person.id, role: 'OWNER', personId: administrator.id } as const;
    const { status, enabled } = to;
    await audit(platform, transaction, context, 'registration:change', person.id, { status, enabled });
    // An unverified address may belong to another person.
    if (mail && person.emailVerified)
      await mailer.post(transaction, { to: person.email, ...mail }, platform.now() + MAIL_KEPT_MS);
  });
  mailer.wake();
}

/** The mail about a decision; null when the person needs none. */
function decisionMail({ addresses }: Platform, from: AccountState, to: AccountState): Omit<Mail, 'to'> | null {
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
