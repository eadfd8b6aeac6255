import { operations, type Session } from '@kethub/contract';
import type { Answer } from '../../foundation/http/index.ts';
import type { Person } from '../../foundation/platform.ts';
import { isApproved } from '../identity/index.ts';
import { joinedOrganizations } from '../organizations/index.ts';
import { isAdministrator } from './admission.ts';
import { notAuthenticated } from './credentials.ts';
import { registrationOf } from './registration-status.ts';
import type { AccountServices } from './services.ts';

/** All that a program needs to know of the caller before it shows anything. Also for a person who waits for approval. */
export async function readSession(services: AccountServices, { id }: Person): Promise<Answer> {
  const { platform, identity } = services;
  const known = await identity.find(id);
  if (!known) throw notAuthenticated('The account behind these credentials does not exist any more.', 'invalid_token');
  const { username, email, firstname, lastname } = known;
  const { configuration, addresses, database } = platform;
  const body: Session = {
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
  return { status: 200, headers: { 'cache-control': 'no-store' }, body };
}

/** Signs the caller out everywhere: no session is renewed any more. Access tokens end within a quarter of an hour. */
export async function endSessions({ identity }: AccountServices, { id }: Person): Promise<Answer> {
  await identity.endSessions(id);
  return { status: 204 };
}
