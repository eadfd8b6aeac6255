import type { PersonalAccessTokenPrincipal } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import type { Catalog, OwnerRenamed } from '../deletions/index.ts';
import { createFindDeletion, createFindLeaving } from '../deletions/index.ts';
import type { PlatformEndpoint } from '../../foundation/http/index.ts';
import type { IdentityProvider } from '../identity/index.ts';
import type { Caller, Person, Platform, PlatformAccess } from '../../foundation/platform.ts';
import { createAdmission, createTokenAdmission } from './admission.ts';
import { authorize } from './authorize.ts';
import { LastUses } from './last-uses.ts';
import { accountEndpoints } from './routes.ts';
import type { AccountServices } from './services.ts';
import { AccountMaintenance } from './maintenance.ts';
import type { ServiceOfExecution } from './token-scope.ts';
import { visiblePeople } from './visible-people.ts';
import { createTokenVerifier, type VerifyPersonalAccessToken } from './verify-access-token.ts';

/** The user account service, and the admission of callers to every endpoint of the platform interface. */
export interface Accounts {
  /** Admits the caller of a request for `mount`. Throws a Problem if the caller does not have this access. */
  admit(access: PlatformAccess, request: FastifyRequest, visitors: boolean): Promise<Caller>;
  /** The endpoints of the user account service, relative to {base_url}. */
  readonly endpoints: readonly PlatformEndpoint[];
  /** The user of a token, for code in this process. Throws 401 or 403 like POST /authorize. */
  authorize(rawToken: string | undefined): Promise<PersonalAccessTokenPrincipal>;
  /** The personal access token of a raw value, or null if it is missing, malformed, unknown or expired. */
  readonly verifyPersonalAccessToken: VerifyPersonalAccessToken;
  /** The approved user of a personal access token; null for an unknown one. Throws 403 for any other user. */
  admitToken(rawToken: string): Promise<Person | null>;
  /** Starts the maintenance, which completes interrupted work every minute. */
  start(): void;
  /** Writes the last uses of tokens. Call it before the database is closed. */
  close(): Promise<void>;
}

/**
 * Opens the user account service. `identity` must be closed after it. `catalogs` are all domains in which a user can
 * own something: an account is deleted only if none of them objects. Without `serviceOfExecution`, tokens that are limited
 * to services see no executions.
 */
export function createAccounts(
  platform: Platform,
  identity: IdentityProvider,
  catalogs: readonly Catalog[],
  ownerRenamed: OwnerRenamed,
  serviceOfExecution: ServiceOfExecution = () => Promise.resolve(null),
): Accounts {
  const lastUses = new LastUses(platform);
  const findDeletion = createFindDeletion(platform.database);
  const services: AccountServices = {
    platform,
    identity: visiblePeople(identity, findDeletion, createFindLeaving(platform.database)),
    catalogs,
    ownerRenamed,
    findDeletion,
    verifyPersonalAccessToken: createTokenVerifier(platform, lastUses),
    lastUses,
    serviceOfExecution,
  };
  const maintenance = new AccountMaintenance(services);
  return {
    admit: createAdmission(services),
    endpoints: accountEndpoints(services),
    authorize: (rawToken) => authorize(services, rawToken),
    verifyPersonalAccessToken: services.verifyPersonalAccessToken,
    admitToken: createTokenAdmission(services),
    start: () => maintenance.start(),
    async close() {
      await maintenance.stop();
      await lastUses.close();
    },
  };
}
