import { toTimestamp } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import {
  addressKey,
  isDuring,
  type AccessDirectory,
  type ApplicationAccess,
  type SubscribedRetirement,
  type Subscriber,
} from '../../catalog/access/index.ts';
import type { ServiceAddress } from '../../catalog/on-premise/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { BearerClaims, Bearers } from './bearer.ts';

/** Purpose of a call: it reads executions (SUBSCRIBER) or starts one (STARTER). */
export type Purpose = 'SUBSCRIBER' | 'STARTER';

/**
 * Admits a request: bearer → application → access key → subscription → interval. Throws not-authenticated,
 * service-not-found, not-subscribed, and version-retired for a start after the sunset.
 */
type AdmitSubscriber = (purpose: Purpose, request: FastifyRequest, path: ServiceAddress) => Promise<Subscriber>;

export function createAdmission(platform: Platform, bearers: Bearers, directory: AccessDirectory): AdmitSubscriber {
  return async (purpose, request, path) => {
    const claims = requireBearer(bearers, request, platform.now());
    const admitted = (application: ApplicationAccess | null): Subscriber | null => {
      const now = platform.now();
      const subscriber = hasKey(application, claims, now) ? subscriberAt(application, path) : null;
      return subscriber && isOpen(subscriber, purpose, now) ? subscriber : null;
    };
    const cached = admitted(await directory.application(claims.applicationId));
    if (cached) return cached;
    // A refusal is never decided from the cache: the key or the subscription may be newer.
    const application = await directory.reload(claims.applicationId);
    const subscriber = admitted(application);
    if (subscriber) return subscriber;
    throw await refusalOf(platform, application, claims, path);
  };
}

function requireBearer(bearers: Bearers, request: FastifyRequest, now: number): BearerClaims {
  const claims = bearers.check(bearerOf(request), now);
  if (claims) return claims;
  throw notAuthenticated('The bearer token is expired, unknown or forged. Request a new one from the token endpoint.');
}

/** Returns whether the access key that requested the token exists and has not ended. */
function hasKey(
  application: ApplicationAccess | null,
  { accessKeyId }: BearerClaims,
  now: number,
): application is ApplicationAccess {
  const endsAt = application?.accessKeys.get(accessKeyId);
  return endsAt === null || (endsAt !== undefined && endsAt > now);
}

function subscriberAt({ subscriptions }: ApplicationAccess, path: ServiceAddress): Subscriber | null {
  return subscriptions.get(addressKey(path)) ?? null;
}

/**
 * Returns whether the subscription admits a call now. Every call of an on-premise service counts as a start: the
 * platform does not know which calls only read.
 */
function isOpen({ target, active, readable }: Subscriber, purpose: Purpose, now: number): boolean {
  return isDuring(target || purpose === 'STARTER' ? active : readable, now);
}

async function refusalOf(
  platform: Platform,
  application: ApplicationAccess | null,
  claims: BearerClaims,
  path: ServiceAddress,
): Promise<Problem> {
  const now = platform.now();
  if (!hasKey(application, claims, now))
    return notAuthenticated(
      'The application or the access key behind this bearer token is gone, or the owner of the application is switched off. Request a new token with a valid key.',
    );
  const subscriber = subscriberAt(application, path);
  if (subscriber?.retirement && isDuring(subscriber.readable, now)) return retired(path, subscriber.retirement);
  if (await isPublishedBy(platform, application.ownerId, path))
    return new Problem(
      'not-subscribed',
      'The application is not subscribed to this service, or its subscription has ended.',
    );
  return new Problem('service-not-found', `No service answers at ${addressKey(path)}.`);
}

function retired({ service, version }: ServiceAddress, retirement: SubscribedRetirement): Problem {
  const { sunset, successor } = retirement;
  const newer =
    successor === null
      ? 'There is no newer version; ask its provider.'
      : `Subscribe the application to the newer one at ${successor}.`;
  const detail = `Version ${version} of ${service} was retired on ${toTimestamp(sunset)} UTC. ${newer}`;
  return new Problem('version-retired', detail, { headers: retirementHeaders(retirement) });
}

/** Headers about the end of a version (RFC 9745, RFC 8594), with the version that replaces it (RFC 5829). */
export function retirementHeaders({ announcedAt, sunset, successor }: SubscribedRetirement): Record<string, string> {
  return {
    deprecation: `@${Math.floor(announcedAt / 1000)}`,
    sunset: new Date(sunset).toUTCString(),
    ...(successor !== null && { link: `<${successor}>; rel="successor-version"` }),
  };
}

function bearerOf({ headers: { authorization } }: FastifyRequest): string {
  if (authorization === undefined)
    throw notAuthenticated('Send Authorization: Bearer <ACCESS_TOKEN>. The token comes from the token endpoint.', '');
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw notAuthenticated('The header Authorization must be: Bearer <ACCESS_TOKEN>.', '');
  return token;
}

/** The problem of a missing or invalid token. RFC 6750 §3: without credentials the challenge carries no error code. */
function notAuthenticated(detail: string, error = ', error="invalid_token"'): Problem {
  return new Problem('not-authenticated', detail, {
    headers: { 'www-authenticate': `Bearer realm="gateway"${error}` },
  });
}

/**
 * Returns whether the owner of the application has published this version. Only then a refusal names it; others stay
 * hidden.
 */
async function isPublishedBy({ database }: Platform, ownerId: string, path: ServiceAddress): Promise<boolean> {
  if (path.owner !== ownerId) return false;
  const version = await database.read
    .selectFrom('service_versions')
    .innerJoin('services', 'services.id', 'service_versions.service_id')
    .select('service_versions.id')
    .where('services.owner_id', '=', path.owner)
    .where('services.slug', '=', path.service)
    .where('service_versions.version', '=', path.version)
    .where('service_versions.state', '=', 'PUBLISHED')
    .executeTakeFirst();
  return version !== undefined;
}
