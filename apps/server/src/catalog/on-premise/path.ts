import { Problem } from '../../foundation/http/index.ts';

/**
 * `/<id_segment>/<service_name>/<version>` of a service version at the gateway, as it stands in a request. Each of the
 * three segments may be percent-encoded, as the router reads them.
 */
const ADDRESS = /^\/+([^/?#]+)\/+([^/?#]+)\/+([^/?#]+)(?=[/?]|$)/;
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/;

/** The part of an address that names a service version. */
export interface ServiceAddress {
  readonly owner: string;
  readonly service: string;
  readonly version: string;
}

/** Reads the service version out of the address of a request; null when the address cannot be one. */
export function serviceAddressOf(url: string): ServiceAddress | null {
  const [, owner, service, version] = ADDRESS.exec(url) ?? [];
  if (owner === undefined || service === undefined || version === undefined) return null;
  try {
    const [first, second, third] = [owner, service, version].map(decodeURIComponent);
    if (first === undefined || second === undefined || third === undefined || !VERSION.test(third)) return null;
    return { owner: first, service: second, version: third };
  } catch {
    return null;
  }
}

/** The paths of a target's URL. */
interface TargetPaths {
  /** Path of the service's own address, with or without a slash at its end, as the provider gave it. */
  readonly rootPath: string;
  /** Path below which everything is forwarded, without a slash at its end. */
  readonly basePath: string;
}

/**
 * The path and query at the target for a request to a service address. Repeated slashes become one, as everywhere at
 * the gateway. Throws invalid-request for a path that a target could read as one outside the base path. Such a path has
 * dot segments: plain, encoded, encoded twice, behind an encoded slash or before a path parameter (`..;x`).
 */
export function targetPath(target: TargetPaths, url: string): string {
  const address = ADDRESS.exec(url)?.[0];
  if (address === undefined || serviceAddressOf(url) === null) throw refusal('is not below the address of a service');
  const given = url.slice(address.length);
  const query = given.indexOf('?');
  const path = (query < 0 ? given : given.slice(0, query)).replaceAll(/\/{2,}/g, '/');
  if (!/^[\u0021-\u007e]*$/.test(given) || given.includes('#')) {
    throw refusal('holds characters that must be percent-encoded');
  }
  if (hasDotSegments(path)) throw refusal('holds . or .. as a segment');
  const at = path === '' || path === '/' ? target.rootPath : target.basePath + path;
  return at + (query < 0 ? '' : given.slice(query));
}

/** Returns whether a segment of a path, however encoded, is `.` or `..`, or holds a character that ends it early. */
export function hasDotSegments(path: string): boolean {
  let decoded = path;
  // Each round removes one layer of encoding. A path with more layers is refused.
  for (let round = 0; round < 4; round += 1) {
    if (/(?:^|[/\\])\.{1,2}(?:[/\\;]|$)/.test(decoded) || decoded.includes('\0')) return true;
    const next = decoded.replaceAll(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    if (next === decoded) return false;
    decoded = next;
  }
  return true;
}

function refusal(detail: string): Problem {
  return new Problem('invalid-request', `The path ${detail}, which is not forwarded.`, {
    errors: [{ pointer: '/path', detail }],
  });
}
