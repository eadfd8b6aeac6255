import type { KeycloakSettings } from '../../../foundation/config/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { IdentityProviderUnavailable, isApproved, type Identity, type IdentityService } from '../identity-provider.ts';
import { connectKeycloakAdmin } from './admin.ts';
import { createKeycloakAdministration } from './administration.ts';
import { createBrowserSignIn } from './browser-sign-in.ts';
import { KeycloakConnection } from './connection.ts';
import { createKeycloakVerifier } from './tokens.ts';
import { addUser, deleteUser, endUserSessions, findUser, findUserByEmail, isSubject } from './users.ts';
import { LookUpQueue } from './look-up-queue.ts';
import { PeopleCopy } from './people-copy.ts';
import { LoadingCache } from '../loading-cache.ts';
import { updateBlocked } from '../blocked-users.ts';
import { limitWaiting, limitWaitingOfRequests } from '../waiting.ts';

/** Milliseconds for which a person is cached. A person who is rejected or disabled loses access after this time. */
const CACHED_MS = 10_000;
/** People who are cached; one more evicts the oldest. */
const MOST_CACHED = 10_000;
/** Concurrent look-ups of single ids; more wait, so that Keycloak has time for sign-ins. */
const CONCURRENT_LOOK_UPS = 8;

/**
 * A realm of a Keycloak as the identity provider. People sign in there; Kethub verifies their tokens and reads the
 * people from the admin interface. The first call is made when it is needed, so that Kethub starts also while
 * Keycloak is down.
 */
export function createKeycloakIdentity(platform: Platform, settings: KeycloakSettings): IdentityService {
  const { now } = platform;
  const connection = new KeycloakConnection(settings, now);
  const ask = connectKeycloakAdmin(connection, now);
  const verifyToken = createKeycloakVerifier(connection, now);
  const limits = { ageMs: CACHED_MS, most: MOST_CACHED, now };
  const people = new LoadingCache<Identity | null>(limits);
  const byEmail = new LoadingCache<Identity | null>(limits);
  const copy = new PeopleCopy(platform, settings.issuer, ask);
  const lookUps = new LookUpQueue(CONCURRENT_LOOK_UPS);
  const forget = ({ id, email }: Identity): void => {
    people.forget(id);
    byEmail.forget(email.toLowerCase());
  };
  const read = async (subject: string): Promise<Identity | null> => {
    const user = await findUser(ask, subject);
    // A decision that was made in Keycloak is recorded here, when a request reads the person.
    if (user) await updateBlocked(platform.database, subject, user, now());
    await copy.note(subject, user);
    return user;
  };
  const find = (subject: string) => limitWaiting(() => people.get(subject, () => read(subject)));
  const personOf = async (accessToken: string): Promise<Identity | null> => {
    const subject = await verifyToken(accessToken);
    return subject === null ? null : read(subject);
  };
  const pages = createBrowserSignIn(connection, `${new URL(platform.addresses.api).origin}/callback`, personOf);
  return {
    issuer: settings.issuer,
    browserSignIn: {
      begin: () => limitWaiting(() => pages.begin()),
      complete: (query, cookie) => limitWaiting(() => pages.complete(query, cookie)),
    },
    mailer: null,
    tokenEndpoint: `${settings.issuer}/protocol/openid-connect/token`,
    async verify(accessToken) {
      const subject = await limitWaiting(() => verifyToken(accessToken));
      return subject === null ? null : { subject };
    },
    find,
    async findApproved(subjects) {
      const asked = subjects.map((subject) => (isSubject(subject) ? subject : null));
      const known = await copy.findApproved(asked.filter((subject) => subject !== null));
      const next = known?.values();
      if (next) return asked.map((subject) => (subject === null ? null : (next.next().value ?? null)));
      // The copy is empty or too old.
      const found = await Promise.all(
        asked.map(async (subject) => (subject === null ? null : limitWaiting(() => lookUps.run(() => find(subject))))),
      );
      return found.map((user) => (user && isApproved(user) ? user : null));
    },
    findByEmail(email) {
      const key = email.toLowerCase();
      return limitWaiting(() => byEmail.get(key, () => findUserByEmail(ask, key)));
    },
    async endSessions(subject) {
      await limitWaiting(() => endUserSessions(ask, subject));
    },
    async delete(subject) {
      await limitWaiting(() => deleteUser(ask, subject));
      people.forget(subject);
      await copy.note(subject, null);
    },
    async createUser(user) {
      const created = await limitWaiting(async () => findUser(ask, await addUser(ask, user)));
      if (!created) throw new IdentityProviderUnavailable(new Error('Keycloak does not know whom it has just added'));
      forget(created);
      await copy.note(created.id, created);
      return created;
    },
    administration: createKeycloakAdministration(platform, ask, async (person) => {
      forget(person);
      await copy.note(person.id, person);
    }),
    // Keycloak has its own address, so there are no routes.
    serve(app) {
      limitWaitingOfRequests(app);
      copy.start();
      return Promise.resolve();
    },
    close: () => copy.close(),
  };
}
