import type { ApprovalStatus, Registration } from '@kethub/contract';
import { Problem, type Listing, type Tagged } from '../../foundation/http/index.ts';
import type { Administration, IdentityProvider, ListedPerson, RegisteredPerson } from '../identity/index.ts';
import { taggedRegistration, registrationDto } from './present.ts';

/** Lists people with this status, or all people. */
export function listRegistrations(
  administration: Administration,
  address: string,
  status: ApprovalStatus | undefined,
): Listing<ListedPerson> {
  return {
    address: status === undefined ? address : `${address}?status=${status}`,
    load: (cursor, limit) => administration.list(status ?? null, cursor, limit),
    present: ({ person }) => registrationDto(person),
  };
}

/** Finds the person with this address. Answers with a list of one or none. */
export async function findRegistration(
  identity: IdentityProvider,
  administration: Administration,
  email: string,
): Promise<Registration[]> {
  const found = await identity.findByEmail(email);
  const person = found && (await administration.find(found.id));
  return person ? [registrationDto(person)] : [];
}

export async function readRegistration(administration: Administration, id: string): Promise<Tagged<Registration>> {
  return taggedRegistration(await requirePerson(administration, id));
}

/** Returns the registration of this id. Throws not-found. */
export async function requirePerson(administration: Administration, id: string): Promise<RegisteredPerson> {
  // No id contains this character, and PostgreSQL refuses it in a query.
  const person = id.includes('\0') ? null : await administration.find(id);
  if (!person) throw new Problem('not-found', 'Nobody of this id has registered.');
  return person;
}
