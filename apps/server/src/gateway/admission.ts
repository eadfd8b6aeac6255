import type { FastifyRequest } from 'fastify';
import { holds } from '../access/index.ts';
import { Problem } from '../http/index.ts';
import type { Platform } from '../platform.ts';
import { addressKey, type AccessDirectory, type ApplicationAccess, type Subscriber } from './access.ts';
import type { BearerClaims, Bearers } from './bearer.ts';

export interface ServicePath {
  readonly owner: string;
  readonly service: string;
  readonly version: string;
}

/** bearer → application → subscription → service version. Throws not-authenticated, service-not-found or not-subscribed. */
export function admitSubscriber(
  platform: Platform,
  bearers: Bearers,
  directory: AccessDirectory,
  request: FastifyRequest,
  path: ServicePath = request.params as ServicePath,
): Promise<Subscriber> | Subscriber {
  const claims = bearers.check(bearerOf(request), platform.now());
  if (!claims)
    throw unauthenticated('The bearer token is expired, unknown or forged. Request a new one from the token endpoint.');
  const known = directory.application(claims.applicationId);
  const subscriber = known instanceof Promise ? null : subscriberOf(platform, claims, known, path);
  return subscriber ?? admitFresh(platform, claims, directory, path);
}

/** Nobody is refused from memory: the subscription or the key may be newer than what is remembered. */
async function admitFresh(
  platform: Platform,
  claims: BearerClaims,
  directory: AccessDirectory,
  path: ServicePath,
): Promise<Subscriber> {
  const application = await directory.readAgain(claims.applicationId);
  const subscriber = subscriberOf(platform, claims, application, path);
  if (subscriber) return subscriber;
  if (!application || !hasKey(platform, claims, application)) {
    throw unauthenticated(
      'The application or the access key behind this bearer token is gone. Request a new token with a valid key.',
    );
  }
  return refusal(platform, application.ownerId, path);
}

function subscriberOf(
  platform: Platform,
  claims: BearerClaims,
  application: ApplicationAccess | null,
  path: ServicePath,
): Subscriber | null {
  if (!application || !hasKey(platform, claims, application)) return null;
  const subscriber = application.subscriptions.get(addressKey(path.owner, path.service, path.version));
  return subscriber?.active.some((interval) => holds(interval, platform.now())) ? subscriber : null;
}

function hasKey(platform: Platform, { accessKeyId }: BearerClaims, { accessKeys }: ApplicationAccess): boolean {
  const ends = accessKeys.get(accessKeyId);
  return ends === null || (ends !== undefined && ends > platform.now());
}

function bearerOf(request: FastifyRequest): string {
  const header = request.headers.authorization;
  if (header === undefined) {
    throw unauthenticated('Send Authorization: Bearer <ACCESS_TOKEN>. The token comes from the token endpoint.', '');
  }
  // Nearly all of them: the expression costs 1 µs, and what follows is looked up as it is.
  if (header.startsWith('Bearer ') && !header.includes(' ', 7)) return header.slice(7);
  const token = /^Bearer +([\w.~+/=-]+) *$/i.exec(header)?.[1];
  if (token === undefined) throw unauthenticated('The header Authorization must be: Bearer <ACCESS_TOKEN>.', '');
  return token;
}

/** RFC 6750 §3: without credentials the challenge carries no error code. */
function unauthenticated(detail: string, error = ', error="invalid_token"'): Problem {
  return new Problem('not-authenticated', detail, {
    headers: { 'www-authenticate': `Bearer realm="gateway"${error}` },
  });
}

/** Within its own house an application learns that a subscription is missing; a stranger's service is simply not there. */
async function refusal(platform: Platform, ownerId: string, path: ServicePath): Promise<never> {
  const own =
    path.owner === ownerId &&
    (await platform.database.read
      .selectFrom('service_versions')
      .innerJoin('services', 'services.id', 'service_versions.service_id')
      .select('service_versions.id')
      .where('services.owner_id', '=', path.owner)
      .where('services.slug', '=', path.service)
      .where('service_versions.version', '=', path.version)
      .where('service_versions.state', '=', 'PUBLISHED')
      .executeTakeFirst()) !== undefined;
  if (own)
    throw new Problem(
      'not-subscribed',
      'The application is not subscribed to this service, or its subscription has ended.',
    );
  throw new Problem('service-not-found', `No service answers at ${path.owner}/${path.service}/${path.version}.`);
}
