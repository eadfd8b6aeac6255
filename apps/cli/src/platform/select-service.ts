import { compareVersions, type Service, type SharedService, type Subscription } from '@kethub/contract';
import { CliFailure } from '../failures.ts';
import { quoted } from '../shell.ts';
import type { Session } from './session.ts';

/**
 * Finds the subscription of the application `ket` to a service: by name, slug or id, optionally with `@version`, or by
 * address. It subscribes to a published own service, and to a shared one that is published internally. Without a
 * version the newest counts.
 */
export async function selectService(session: Session, wanted: string): Promise<Subscription> {
  const { name, version } = splitVersion(wanted);
  const [services, subscriptions] = await Promise.all([session.platform.listServices(), session.subscriptions()]);
  const own = services.find((service) => isMeant(name, service.id, service.name, service.slug));
  if (own) {
    const published = publishedVersion(own, version);
    const known = subscriptions.find((one) => one.serviceId === own.id && one.version === published);
    return known ?? session.subscribe(own.id, published);
  }
  const subscribed = subscriptionsTo(subscriptions, wanted).toSorted((a, b) =>
    compareVersions(b.version, a.version),
  )[0];
  if (subscribed) return subscribed;
  const shared = await session.platform.listSharedServices();
  const offered = shared.find((service) => isMeant(name, service.id, service.name, service.slug));
  if (offered) return session.subscribe(offered.id, offeredVersion(offered, wanted));
  const names = [
    ...new Set([
      ...services.map((one) => one.slug),
      ...subscriptions.map((one) => slugOf(one.endpoint)),
      ...shared.map((one) => one.slug),
    ]),
  ];
  const known = names.length > 0 ? ` There is: ${names.join(', ')}.` : ' You have none yet.';
  throw new CliFailure(
    'notFound',
    'service-not-found',
    `No service "${wanted}" is yours, subscribed to or shared with you.${known}`,
    [
      'ket services',
      `ket marketplace search ${quoted(wanted)}    (if it is offered there)`,
      'ket up <folder>    (the folder of the service)',
    ],
  );
}

/** Finds a service of the user by name, slug or id. Throws service-not-found. */
export async function requireOwnService(session: Session, wanted: string): Promise<Service> {
  const own = await session.platform.listServices();
  const found = own.find((one) => isMeant(wanted, one.id, one.name, one.slug));
  if (found) return found;
  const known = own.length > 0 ? ` There is: ${own.map(({ slug }) => slug).join(', ')}.` : ' You have none yet.';
  throw new CliFailure('notFound', 'service-not-found', `You have no service "${wanted}".${known}`, ['ket services']);
}

/** Finds the id of an own, subscribed or shared service. Throws service-not-found. */
export async function findServiceId(session: Session, wanted: string): Promise<string> {
  const { name } = splitVersion(wanted);
  const { platform } = session;
  const meant = (one: { id: string; name: string; slug: string }) => isMeant(name, one.id, one.name, one.slug);
  const own = (await platform.listServices()).find(meant);
  if (own) return own.id;
  const [subscribed] = subscriptionsTo(await session.subscriptions(), wanted);
  if (subscribed) return subscribed.serviceId;
  const shared = (await platform.listSharedServices()).find(meant);
  if (shared) return shared.id;
  throw new CliFailure('notFound', 'service-not-found', `No service "${wanted}" is yours, subscribed to or shared.`, [
    'ket services',
  ]);
}

/** The subscriptions to a service: to all its versions, or to the named one. */
export function subscriptionsTo(subscriptions: readonly Subscription[], wanted: string): Subscription[] {
  const { name, version } = splitVersion(wanted);
  return subscriptions
    .filter(
      (one) => isMeant(name, one.serviceId, one.serviceName, slugOf(one.endpoint)) || sameAddress(wanted, one.endpoint),
    )
    .filter((one) => version === undefined || one.version === version);
}

/** Splits `name@1.0.0`, or takes a name alone. */
export function splitVersion(wanted: string): { name: string; version: string | undefined } {
  const [, name, version] = /^(.+)@(\d+\.\d+\.\d+)$/.exec(wanted) ?? [];
  return { name: name ?? wanted, version };
}

export function isMeant(name: string, id: string, serviceName: string, slug: string): boolean {
  return name === id || name === slug || name.toLowerCase() === serviceName.toLowerCase();
}

function publishedVersion(service: Service, version: string | undefined): string {
  const published = service.versions.filter(
    ({ state, visibility }) => state === 'PUBLISHED' && visibility !== 'SHARED',
  );
  const found = version === undefined ? published[0] : published.find((one) => one.version === version);
  if (found) return found.version;
  const offered = published.map((one) => one.version).join(', ');
  const what = version === undefined ? 'no published version' : `no published version ${version}`;
  const suggestion = offered === '' ? '' : ` Published: ${offered}.`;
  throw new CliFailure('notFound', 'not-published', `The service "${service.name}" has ${what} yet.${suggestion}`, [
    'ket up <folder>    (the folder of the service)',
    'ket services',
  ]);
}

/** The newest version of a shared service that applications can subscribe to, or the named one. */
function offeredVersion(service: SharedService, wanted: string): string {
  const { version } = splitVersion(wanted);
  const offered = service.versions.filter(({ endpoint }) => endpoint !== undefined);
  const found = version === undefined ? offered[0] : offered.find((one) => one.version === version);
  if (found) return found.version;
  const what = version === undefined ? 'no version' : `no version ${version}`;
  throw new CliFailure(
    'notFound',
    'not-published',
    `"${service.name}" is shared with you, and ${what} of it is published internally: applications cannot call it. You can run it yourself.`,
    [`ket run ${quoted(wanted)} --job`, 'ket services'],
  );
}

/** `{gateway_url}/<owner>/<slug>/<version>/` */
export function slugOf(endpoint: string): string {
  return endpoint.replace(/\/+$/, '').split('/').at(-2) ?? '';
}

function sameAddress(wanted: string, endpoint: string): boolean {
  return wanted.replace(/\/+$/, '') === endpoint.replace(/\/+$/, '');
}
