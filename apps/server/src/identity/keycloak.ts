import type { KeycloakSettings } from '../config/index.ts';
import { Problem } from '../http/index.ts';
import type { Platform } from '../platform.ts';
import type { NewUser } from './create-user.ts';
import { IdentityProviderUnavailable, isApproved, type Identity, type IdentityService } from './identity-provider.ts';
import { connectKeycloakAdmin, type AskKeycloak } from './keycloak-admin.ts';
import { KeycloakConnection, type KeycloakAnswer } from './keycloak-connection.ts';
import { createKeycloakVerifier } from './keycloak-tokens.ts';
import { toIdentity, toUserRepresentation } from './keycloak-user.ts';
import { Recent } from './recent.ts';

/** A person who is rejected or switched off is out after at most this time. */
const REMEMBERED_MS = 10_000;
const MOST_REMEMBERED = 10_000;
/** Keycloak cannot be asked for several users by id. */
const ASKED_AT_ONCE = 16;

/**
 * A realm of a Keycloak as the identity provider: people sign in there, Kethub checks their tokens and asks the admin
 * interface who they are. Nothing is asked before it is needed, so that Kethub starts also while Keycloak is down.
 */
export function createKeycloakIdentity(platform: Platform, settings: KeycloakSettings): IdentityService {
  const { now } = platform;
  const connection = new KeycloakConnection(settings, now);
  const ask = connectKeycloakAdmin(connection, now);
  const verifyToken = createKeycloakVerifier(connection, now);
  const people = new Recent<Identity | null>({ ageMs: REMEMBERED_MS, most: MOST_REMEMBERED, now });
  const find = (subject: string) => people.get(subject, () => findUser(ask, subject));
  return {
    tokenEndpoint: `${settings.issuer}/protocol/openid-connect/token`,
    async verify(accessToken) {
      const subject = await verifyToken(accessToken);
      return subject === null ? null : { subject };
    },
    find,
    async findApproved(subjects) {
      const found: (Identity | null)[] = [];
      for (let from = 0; from < subjects.length; from += ASKED_AT_ONCE)
        found.push(...(await Promise.all(subjects.slice(from, from + ASKED_AT_ONCE).map(find))));
      return found.map((user) => (user && isApproved(user) ? user : null));
    },
    async delete(subject) {
      await deleteUser(ask, subject);
      people.forget(subject);
    },
    async createUser(user) {
      const id = await createUser(ask, user);
      const created = await findUser(ask, id);
      if (created) return created;
      throw new IdentityProviderUnavailable(new Error(`Keycloak does not know the user ${id} whom it has just added`));
    },
    // Keycloak has an address of its own.
    serve: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

async function findUser(ask: AskKeycloak, subject: string): Promise<Identity | null> {
  if (!isSegment(subject)) return null;
  const answer = await ask('GET', `/users/${encodeURIComponent(subject)}`);
  if (answer.status === 404) return null;
  // `users/count` and the like are addresses too, but no people: what comes back has to have this id.
  if (answer.status === 200) return toIdentity(answer.body, subject);
  throw unexpected('reading a user', answer);
}

async function deleteUser(ask: AskKeycloak, subject: string): Promise<void> {
  if (!isSegment(subject)) return;
  const answer = await ask('DELETE', `/users/${encodeURIComponent(subject)}`);
  // Gone already; 405 stands at addresses like `users/profile`, where nobody is.
  if (![204, 404, 405].includes(answer.status)) throw unexpected('deleting a user', answer);
}

/** Returns the id, which Keycloak names in Location. */
async function createUser(ask: AskKeycloak, user: NewUser): Promise<string> {
  const answer = await ask('POST', '/users', toUserRepresentation(user));
  if (answer.status === 409)
    throw new Problem('conflict', 'A user with this username or e-mail address exists already.');
  const id = answer.headers.get('location')?.split('/').at(-1);
  if (answer.status === 201 && id !== undefined) return id;
  throw unexpected('adding a user', answer);
}

/** In a URL `.` and `..` mean another place, however they are written; an id that is one is nobody's. */
function isSegment(subject: string): boolean {
  return subject !== '' && subject !== '.' && subject !== '..';
}

function unexpected(what: string, { status, body }: KeycloakAnswer): IdentityProviderUnavailable {
  return new IdentityProviderUnavailable(
    new Error(`${what} was answered ${status}: ${JSON.stringify(body)?.slice(0, 500)}`),
  );
}
