import { accountsAt, registrationsAt } from './accounts-client.ts';
import { applicationsAt, providerAccessTokensAt } from './applications-client.ts';
import { withoutSlash, type Connection } from './connection.ts';
import { dataPoolsAt } from './data-pools-client.ts';
import { jobsAt } from './jobs-client.ts';
import { marketplaceAt } from './marketplace-client.ts';
import { organizationsAt } from './organizations-client.ts';
import { servicesAt } from './services-client.ts';
import { sharingAt } from './sharing-client.ts';
import { storageAt } from './storage-client.ts';
import { usageAt } from './usage-client.ts';
import { buildsAt, versionsAt } from './versions-client.ts';
import { workflowsAt } from './workflows-client.ts';

/** A personal access token, or the token of a login session. */
export type Credential = { readonly accessToken: string } | { readonly loginSession: string };

export interface PlatformClientOptions {
  /** {base_url}, for example http://localhost:8080/api. */
  readonly baseUrl: string;
  readonly credential: Credential;
  /** Acts within this organization instead of personally. */
  readonly organizationId?: string;
  readonly fetch?: typeof fetch;
}

/** The platform interface; each domain has a file of its own. Methods throw KethubError and UnreachableError. */
export type PlatformClient = ReturnType<typeof createPlatformClient>;

/** A client of the platform interface for one credential. */
export function createPlatformClient(options: PlatformClientOptions) {
  const { credential } = options;
  const headers: Record<string, string> = {
    ...('accessToken' in credential
      ? { 'x-auth-token': credential.accessToken }
      : { authorization: `Bearer ${credential.loginSession}` }),
    ...(options.organizationId !== undefined && { 'x-organizationid': options.organizationId }),
  };
  const connection: Connection = {
    baseUrl: withoutSlash(options.baseUrl),
    fetch: options.fetch ?? fetch,
    authenticate: () => Promise.resolve(headers),
    renewable: false,
  };
  return {
    ...accountsAt(connection),
    ...registrationsAt(connection),
    ...servicesAt(connection),
    ...usageAt(connection),
    ...storageAt(connection),
    ...versionsAt(connection),
    ...providerAccessTokensAt(connection),
    ...buildsAt(connection),
    ...applicationsAt(connection),
    ...sharingAt(connection),
    ...jobsAt(connection),
    ...workflowsAt(connection),
    ...dataPoolsAt(connection),
    ...marketplaceAt(connection),
    ...organizationsAt(connection),
  };
}
