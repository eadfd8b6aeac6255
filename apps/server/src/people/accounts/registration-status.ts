import type { RegistrationResponse } from '@kethub/contract';
import { isApproved, type Identity } from '../identity/index.ts';
import type { Person } from '../../foundation/platform.ts';
import type { AccountServices } from './services.ts';

/**
 * The registration status of an address, for any authenticated caller. A caller who is not approved can read the status
 * of the own address only. Anybody can register and sign in, and would otherwise learn about the registrations of
 * others.
 */
export async function readRegistrationStatus(
  services: AccountServices,
  caller: Person,
  email: string,
): Promise<RegistrationResponse> {
  return registrationOf(await findFor(services, caller, email));
}

/** The person with an address. Several may have registered it without confirming it; the caller takes precedence. */
async function findFor({ identity }: AccountServices, caller: Person, email: string): Promise<Identity | null> {
  const own = await identity.find(caller.id);
  if (!own) return null;
  if (own.email.toLowerCase() === email.toLowerCase()) return own;
  return isApproved(own) ? identity.findByEmail(email) : null;
}

/**
 * The status by the first unmet condition. A disabled account counts as rejected, because its owner cannot continue.
 */
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
