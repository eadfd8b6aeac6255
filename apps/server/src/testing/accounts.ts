import type { FastifyInstance } from 'fastify';
import { applicationCatalog } from '../catalog/applications/index.ts';
import { createAccounts, refusals, security, securitySchemes, type Accounts } from '../people/accounts/index.ts';
import { dataPoolCatalog } from '../catalog/datapools/index.ts';
import { mount, platformLimits } from '../foundation/http/index.ts';
import { createEmbeddedIdentity, type Identity, type IdentityService, type NewUser } from '../people/identity/index.ts';
import { executionCatalog } from '../running/executions/index.ts';
import { organizationCatalog } from '../people/organizations/index.ts';
import { serviceCatalog } from '../catalog/services/index.ts';
import { sharingCatalog } from '../catalog/sharing/index.ts';
import { registrationEndpoints } from '../people/registrations/index.ts';
import type { TestDatabaseKind } from './databases.ts';
import { createTestPlatform, createTestServer, type TestPlatform, type TestPlatformOptions } from './platform.ts';
import { nameProvider } from '../catalog/marketplace/index.ts';

/** All domains in which a user can own something. */
export const catalogs = [
  applicationCatalog,
  serviceCatalog,
  organizationCatalog,
  executionCatalog,
  sharingCatalog,
  dataPoolCatalog,
];

export const PASSWORD = 'correct horse battery staple';

/** Tokens of a login session, as the token endpoint answers. */
export interface TestSession {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** A server at the addresses of its platform: identity provider, user account service and registrations. */
export interface TestAccounts {
  readonly platform: TestPlatform;
  readonly identity: IdentityService;
  readonly accounts: Accounts;
  readonly app: FastifyInstance;
  /** Adds a person whose password is PASSWORD; `username` is the part before the @ of the e-mail address. */
  addUser(username: string, other?: Partial<NewUser>): Promise<Identity>;
  /** Posts a form to the token endpoint, as the client `kethub`. */
  token(form: Record<string, string>): Promise<Response>;
  /** Signs in with PASSWORD. */
  signIn(username: string): Promise<TestSession>;
  /** Calls the platform interface. `credential` is a personal access token or the access token of a login session. */
  call(
    method: string,
    path: string,
    credential?: string | null,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Response>;
  close(): Promise<void>;
}

export async function startTestAccounts(
  open: TestDatabaseKind['open'],
  options: TestPlatformOptions = {},
): Promise<TestAccounts> {
  const platform = await createTestPlatform(open, options);
  const { addresses } = platform;
  const identity = await createEmbeddedIdentity(platform);
  const { mailer } = identity;
  if (!mailer) throw new Error('The embedded identity provider sends mails');
  const accounts = createAccounts(platform, identity, catalogs, nameProvider);
  const app = await createTestServer(platform, securitySchemes(identity.tokenEndpoint));
  const endpoints = [...accounts.endpoints, ...registrationEndpoints(platform, identity, mailer)];
  const limits = platformLimits(platform);
  mount(app, endpoints, { prefix: '/api', admit: accounts.admit, security, refusals, limits });
  await identity.serve(app);
  await app.listen({ host: '127.0.0.1', port: platform.port });

  const token = (form: Record<string, string>): Promise<Response> =>
    fetch(`${addresses.auth}/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'kethub', ...form }),
    });
  return {
    platform,
    identity,
    accounts,
    app,
    addUser: (username, other) =>
      identity.createUser({
        username,
        email: `${username}@example.org`,
        firstname: 'Ada',
        lastname: 'Lovelace',
        password: PASSWORD,
        status: 'APPROVED',
        ...other,
      }),
    token,
    async signIn(username) {
      const response = await token({ grant_type: 'password', username, password: PASSWORD });
      if (!response.ok) throw new Error(`Signing in answered ${response.status}: ${await response.text()}`);
      return (await response.json()) as TestSession;
    },
    call: (method, path, credential = null, body, headers = {}) =>
      fetch(addresses.api + path, {
        method,
        headers: {
          ...credentialHeader(credential),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async close() {
      try {
        await app.close();
      } finally {
        await accounts.close();
        await identity.close();
        await platform.close();
      }
    },
  };
}

function credentialHeader(credential: string | null): Record<string, string> {
  if (credential === null) return {};
  return credential.startsWith('ket_pat_') ? { 'x-auth-token': credential } : { authorization: `Bearer ${credential}` };
}
