import { operations, type Session } from '@kethub/contract';
import type { Person } from '../../foundation/platform.ts';
import { isApproved } from '../identity/index.ts';
import { joinedOrganizations } from '../organizations/index.ts';
import { isAdministrator } from './admission.ts';
import { notAuthenticated } from './credentials.ts';
import { userOf } from './me.ts';
import { registrationOf } from './registration-status.ts';
import type { AccountServices } from './services.ts';

/**
 * All that a program needs to know of the caller before it shows anything. Also for a person who waits for approval. The
 * first call of an approved person creates their record, as that of the profile does.
 */
export async function readSession(services: AccountServices, caller: Person): Promise<Session> {
  const { id } = caller;
  const { platform, identity } = services;
  const known = await identity.find(id);
  if (!known) throw notAuthenticated('The account behind these credentials does not exist any more.', 'invalid_token');
  if (isApproved(known)) await userOf(services, caller);
  const { username, email, firstname, lastname } = known;
  const { configuration, addresses, database } = platform;
  return {
    person: { id, username, email, firstname, lastname },
    registration: registrationOf(known),
    administrator: isApproved(known) && isAdministrator(services, known),
    organizations: isApproved(known) ? await joinedOrganizations(database.read, id) : [],
    features: {
      gateway: addresses.gateway,
      registration: configuration.keycloak === null && configuration.registration !== 'closed',
      docker: configuration.containers !== null,
    },
    operations: { ...operations },
  };
}

/** Signs the caller out everywhere: no session is renewed any more. Access tokens end within a quarter of an hour. */
export function endSessions({ identity }: AccountServices, { id }: Person): Promise<void> {
  return identity.endSessions(id);
}
