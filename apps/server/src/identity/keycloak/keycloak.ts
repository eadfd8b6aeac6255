import type { KeycloakSettings } from '../../config/index.ts';
import type { Platform } from '../../platform.ts';
import { IdentityProviderUnavailable, isApproved, type Identity, type IdentityService } from '../identity-provider.ts';
import { connectKeycloakAdmin } from './admin.ts';
import { createKeycloakAdministration } from './administration.ts';
import { KeycloakConnection } from './connection.ts';
import { createKeycloakVerifier } from './tokens.ts';
import { addUser, deleteUser, findUser, findUserByEmail } from './users.ts';
import { Recent } from '../recent.ts';
import { noteWhatIsSo } from '../shut-out.ts';
import { limitWaiting, limitWaitingOfRequests } from '../waiting.ts';

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
  const limits = { ageMs: REMEMBERED_MS, most: MOST_REMEMBERED, now };
  const people = new Recent<Identity | null>(limits);
  const byEmail = new Recent<Identity | null>(limits);
  const forget = ({ id, email }: Identity): void => {
    people.forget(id);
    byEmail.forget(email.toLowerCase());
  };
  const read = async (subject: string): Promise<Identity | null> => {
    const user = await findUser(ask, subject);
    // What was decided at Keycloak itself is learned when somebody asks.
    if (user) await noteWhatIsSo(platform.database, subject, user, now());
    return user;
  };
  const find = (subject: string) => limitWaiting(() => people.get(subject, () => read(subject)));
  return {
    issuer: settings.issuer,
    mailer: null,
    tokenEndpoint: `${settings.issuer}/protocol/openid-connect/token`,
    async verify(accessToken) {
      const subject = await limitWaiting(() => verifyToken(accessToken));
      return subject === null ? null : { subject };
    },
    find,
    async findApproved(subjects) {
      const found: (Identity | null)[] = [];
      for (let from = 0; from < subjects.length; from += ASKED_AT_ONCE)
        found.push(...(await Promise.all(subjects.slice(from, from + ASKED_AT_ONCE).map(find))));
      return found.map((user) => (user && isApproved(user) ? user : null));
    },
    findByEmail(email) {
      const key = email.toLowerCase();
      return limitWaiting(() => byEmail.get(key, () => findUserByEmail(ask, key)));
    },
    async delete(subject) {
      await limitWaiting(() => deleteUser(ask, subject));
      people.forget(subject);
    },
    async createUser(user) {
      const created = await limitWaiting(async () => findUser(ask, await addUser(ask, user)));
      if (!created) throw new IdentityProviderUnavailable(new Error('Keycloak does not know whom it has just added'));
      forget(created);
      return created;
    },
    administration: createKeycloakAdministration(platform, ask, forget),
    // Keycloak has an address of its own.
    serve(app) {
      limitWaitingOfRequests(app);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}
