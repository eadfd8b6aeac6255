import type { RegistrationResponse } from '@kethub/contract';
import type { Answer } from '../http/index.ts';
import type { Identity } from '../identity/index.ts';
import type { AccountServices } from './accounts.ts';

/** How far the registration of this address is, for any authenticated caller. */
export async function readRegistrationStatus({ identity }: AccountServices, email: string): Promise<Answer> {
  const body = registrationOf(await identity.findByEmail(email));
  return { status: 200, headers: { 'cache-control': 'no-store' }, body };
}

/** The first hurdle that is left decides. An account that is switched off counts as rejected: its owner cannot go on. */
export function registrationOf(person: Identity | null): RegistrationResponse {
  if (!person) return { status: 'NOT_FOUND', message: 'Nobody has registered with this e-mail address.' };
  if (!person.enabled) return { status: 'REJECTED', message: 'This account is switched off.' };
  if (person.status === 'REJECTED') return { status: 'REJECTED', message: 'The registration was rejected.' };
  if (!person.emailVerified) {
    return { status: 'EMAIL_NOT_VERIFIED', message: 'Open the link in the e-mail to confirm the address.' };
  }
  if (person.status === 'PENDING') {
    return { status: 'PENDING', message: 'The registration waits for the approval of an administrator.' };
  }
  return { status: 'APPROVED', message: 'The registration is complete.' };
}
