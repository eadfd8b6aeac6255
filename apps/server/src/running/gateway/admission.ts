import { toTimestamp } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { holds, type Interval } from '../../catalog/access/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { AccessDirectory, ApplicationAccess, Retiring, Subscriber } from './access.ts';
import type { BearerClaims, Bearers } from './bearer.ts';
import { Pass, type Purpose } from './pass.ts';
import { addressKey, type ServicePath } from './service-path.ts';

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
): Promise<Pass> | Pass {
  const token = bearerOf(request);
  const now = platform.now();
  const claims = bearers.check(token, now);
  if (!claims)
    throw unauthenticated('The bearer token is expired, unknown or forged. Request a new one from the token endpoint.');
  if (claims instanceof Pass && claims.opens(path, purpose, now) && directory.holds(claims)) return claims;
  const remembered = (pass: Pass): Pass => {
    bearers.remember(token, pass);
    return pass;
  };
  const admit = (application: ApplicationAccess | null): Promise<Pass> | Pass => {
    const pass = passOf(platform, claims, application, path, purpose);
    return pass ? remembered(pass) : admitFresh(platform, claims, directory, path, purpose).then(remembered);
  };
  const application = directory.application(claims.applicationId);
  return application instanceof Promise ? application.then(admit) : admit(application);
}

/** Nobody is refused from memory: the subscription or the key may be newer than what is remembered. */
async function admitFresh(
  platform: Platform,
  claims: BearerClaims,
  directory: AccessDirectory,
  path: ServicePath,
  purpose: Purpose,
): Promise<Pass> {
  const application = await directory.readAgain(claims.applicationId);
  const pass = passOf(platform, claims, application, path, purpose);
  if (pass) return pass;
  const subscriber = subscriberOf(platform, claims, application, path);
  if (subscriber?.retirement && holdsOne(platform, subscriber.readable)) throw retired(path, subscriber.retirement);
  if (!application || !hasKey(platform, claims, application)) {
    throw unauthenticated(
      'The application or the access key behind this bearer token is gone, or the owner of the application is switched off. Request a new token with a valid key.',
    );
  }
  return refusal(platform, application.ownerId, path);
}

/** What this token may be used for now, at this address and for this purpose. */
function passOf(
  platform: Platform,
  claims: BearerClaims,
  application: ApplicationAccess | null,
  path: ServicePath,
  purpose: Purpose,
): Pass | null {
  const subscriber = subscriberOf(platform, claims, application, path);
  if (!subscriber || !holdsOne(platform, timesOf(subscriber, purpose))) return null;
  const keyEnds = application?.accessKeys.get(claims.accessKeyId) ?? Infinity;
  const until = (of: Purpose): number =>
    Math.floor(Math.min(claims.expiresAt * 1000, keyEnds, endOf(platform, timesOf(subscriber, of))) / 1000);
  return new Pass(claims, subscriber, { starts: until('STARTER'), reads: until('SUBSCRIBER') });
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

/** When the interval ends that holds now and longest; 0 when none does. */
function endOf(platform: Platform, times: readonly Interval[]): number {
  return Math.max(0, ...times.filter((one) => holdsOne(platform, [one])).map(({ until }) => until ?? Infinity));
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
