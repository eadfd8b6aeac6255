import { toTimestamp } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { holds, type Interval } from '../access/index.ts';
import { Problem } from '../http/index.ts';
import type { Platform } from '../platform.ts';
import type { AccessDirectory, ApplicationAccess, Retiring, Subscriber } from './access.ts';
import type { BearerClaims, Bearers } from './bearer.ts';
import { addressKey, type ServicePath } from './service-path.ts';

/** To read what has been started, or to start something. */
export type Purpose = 'SUBSCRIBER' | 'STARTER';

/**
 * bearer → application → subscription → service version. Throws not-authenticated, service-not-found or not-subscribed,
 * and version-retired for a start after the sunset.
 */
export function admitSubscriber(
  platform: Platform,
  bearers: Bearers,
  directory: AccessDirectory,
  purpose: Purpose,
  request: FastifyRequest,
  path: ServicePath = request.params as ServicePath,
): Promise<Subscriber> | Subscriber {
  const claims = bearers.check(bearerOf(request), platform.now());
  if (!claims)
    throw unauthenticated('The bearer token is expired, unknown or forged. Request a new one from the token endpoint.');
  const admitted = (subscriber: Subscriber | null): Promise<Subscriber> | Subscriber =>
    subscriber && holdsOne(platform, timesOf(subscriber, purpose))
      ? subscriber
      : admitFresh(platform, claims, directory, path, purpose);
  const again = usedAgain(platform, claims, directory, path);
  if (again) return admitted(again);
  const application = directory.application(claims.applicationId);
  return application instanceof Promise
    ? application.then((loaded) => admitted(usedFirst(platform, claims, loaded, path)))
    : admitted(usedFirst(platform, claims, application, path));
}

/**
 * What a token was used for last is nearly always what it is used for now. With ten thousand applications nothing of them
 * is in the caches of the CPU: this way a few places in memory are looked at, and not three dozen.
 */
function usedAgain(
  platform: Platform,
  { keyEnds, subscriber }: BearerClaims,
  directory: AccessDirectory,
  { owner, service, version }: ServicePath,
): Subscriber | null {
  if (!subscriber || !directory.holds(subscriber)) return null;
  if (keyEnds !== null && keyEnds <= platform.now()) return null;
  const { path } = subscriber;
  return path.service === service && path.owner === owner && path.version === version ? subscriber : null;
}

function usedFirst(
  platform: Platform,
  claims: BearerClaims,
  application: ApplicationAccess | null,
  path: ServicePath,
): Subscriber | null {
  const subscriber = subscriberOf(platform, claims, application, path);
  if (!subscriber) return null;
  claims.subscriber = subscriber;
  claims.keyEnds = application?.accessKeys.get(claims.accessKeyId) ?? null;
  return subscriber;
}

/** Nobody is refused from memory: the subscription or the key may be newer than what is remembered. */
async function admitFresh(
  platform: Platform,
  claims: BearerClaims,
  directory: AccessDirectory,
  path: ServicePath,
  purpose: Purpose,
): Promise<Subscriber> {
  const application = await directory.readAgain(claims.applicationId);
  const subscriber = subscriberOf(platform, claims, application, path);
  if (subscriber && holdsOne(platform, timesOf(subscriber, purpose))) return subscriber;
  if (subscriber?.retirement && holdsOne(platform, subscriber.readable)) throw retired(path, subscriber.retirement);
  if (!application || !hasKey(platform, claims, application)) {
    throw unauthenticated(
      'The application or the access key behind this bearer token is gone, or the owner of the application is switched off. Request a new token with a valid key.',
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
  return application.subscriptions.get(addressKey(path)) ?? null;
}

/** Where a service runs elsewhere, nobody here knows which of its calls only read. */
function timesOf({ target, active, readable }: Subscriber, purpose: Purpose): readonly Interval[] {
  return target || purpose === 'STARTER' ? active : readable;
}

function holdsOne({ now }: Platform, times: readonly Interval[]): boolean {
  return times.some((interval) => holds(interval, now()));
}

function retired({ service, version }: ServicePath, { sunset, successor, headers }: Retiring): Problem {
  const newer =
    successor === null
      ? 'There is no newer version; ask its provider.'
      : `Subscribe the application to the newer one at ${successor}.`;
  const detail = `Version ${version} of ${service} was retired on ${toTimestamp(sunset)} UTC. ${newer}`;
  return new Problem('version-retired', detail, { headers });
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
