import { createKeycloakIdentity } from '../people/identity/keycloak/keycloak.ts';
import {
  IdentityProviderUnavailable,
  type Identity,
  type IdentityService,
} from '../people/identity/identity-provider.ts';
import { readConfiguration } from '../foundation/config/index.ts';
import { sqlite } from './databases.ts';
import { createTestRealm, type TestRealm } from './keycloak.ts';
import { createTestPlatform, type TestPlatform } from './platform.ts';

export const PASSWORD = 'correct horse battery staple';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
}

/** A realm of a real Keycloak, and the identity provider that uses it. */
export interface RealmIdentity {
  readonly realm: TestRealm;
  readonly identity: IdentityService;
  readonly platform: TestPlatform;
  /** Milliseconds by which the platform's clock is ahead. */
  later: number;
  /** Creates an identity provider with empty caches. */
  connect(changed?: Record<string, string>): IdentityService;
  /** Adds a person with a new name. `tries` is the number of attempts while Keycloak answers too late. */
  addUser(status?: Identity['status'], tries?: number): Promise<Identity>;
  signIn(username: string, form?: Record<string, string>, issuer?: string): Promise<Tokens>;
  /** Changes a person as the administrator of the realm, who sends the whole representation. */
  change(id: string, changed: object): Promise<void>;
  close(): Promise<void>;
}

export async function startRealmIdentity(): Promise<RealmIdentity> {
  const realm = await createTestRealm();
  const platform = await createTestPlatform(sqlite.open, { now: () => Date.now() + people.later });
  const connect = (changed: Record<string, string> = {}): IdentityService => {
    const { keycloak } = readConfiguration({ ...realm.settings, ...changed });
    if (!keycloak) throw new Error('The settings name no Keycloak');
    return createKeycloakIdentity(platform, keycloak);
  };
  const identity = connect();
  let number = 0;
  const people: RealmIdentity = {
    realm,
    identity,
    platform,
    later: 0,
    connect,
    async addUser(status = 'APPROVED', tries = 5) {
      const username = `user-${++number}`;
      const person = { username, email: `${username}@example.org`, firstname: 'Ada', lastname: 'Lovelace' };
      try {
        return await identity.createUser({ ...person, password: PASSWORD, status });
      } catch (error) {
        // A Keycloak that hashes passwords on a busy machine answers too late. The next try is another person.
        if (!(error instanceof IdentityProviderUnavailable) || tries === 1) throw error;
        return people.addUser(status, tries - 1);
      }
    },
    async signIn(username, form = {}, issuer = realm.issuer) {
      const response = await fetch(`${issuer}/protocol/openid-connect/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'password',
          client_id: 'kethub',
          scope: 'openid profile',
          username,
          password: PASSWORD,
          ...form,
        }),
      });
      if (!response.ok) throw new Error(`Signing in answered ${response.status}: ${await response.text()}`);
      return (await response.json()) as Tokens;
    },
    async change(id, changed) {
      const user = (await realm.admin('GET', `/users/${id}`)) as object;
      await realm.admin('PUT', `/users/${id}`, { ...user, ...changed });
    },
    async close() {
      await platform.close();
      await realm.remove();
    },
  };
  return people;
}
