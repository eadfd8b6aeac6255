import { serviceEndpoint, type Addresses } from '../../foundation/platform.ts';
import { LimitedMap } from '../../foundation/storage/index.ts';

export interface ServicePath {
  readonly owner: string;
  readonly service: string;
  readonly version: string;
}

/** Where a service version answers. */
export interface ServicePlace {
  readonly path: ServicePath;
  /** The part of the address that names the service version. */
  readonly key: string;
  /** Without a slash at its end. */
  readonly address: string;
}

const REMEMBERED = 10_000;

export function addressKey({ owner, service, version }: ServicePath): string {
  return `${owner}/${service}/${version}`;
}

/**
 * One object for each place, however many applications are subscribed to it: what all of them need stays in the caches of
 * the CPU, and a thousand subscriptions keep its texts once.
 */
export function createPlaces(addresses: Addresses): (path: ServicePath) => ServicePlace {
  const places = new LimitedMap<ServicePlace>(REMEMBERED);
  return (path) => {
    const key = addressKey(path);
    const known = places.get(key);
    if (known) return known;
    const { owner, service, version } = path;
    const address = serviceEndpoint(addresses, owner, service, version).slice(0, -1);
    const place: ServicePlace = { path: { owner, service, version }, key, address };
    places.set(key, place);
    return place;
  };
}
