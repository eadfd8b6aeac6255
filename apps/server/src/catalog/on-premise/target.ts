import type { Target, TargetCredentials, TargetRequest } from '@kethub/contract';
import type { OnPremiseSettings } from '../../foundation/config/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { OnPremiseTargetRow, Queries } from '../../foundation/storage/index.ts';
import { createAddressRules } from '@kethub/runtime/addresses';
import { hasDotSegments } from './path.ts';

/** Purpose of the sealed values: one cannot be opened for another purpose. */
const PURPOSE = 'credentials of an on-premise target';

/** The columns of a target. */
export type TargetColumns = Omit<OnPremiseTargetRow, 'service_version_id'>;

/** A target, ready to be forwarded to. */
export interface Destination {
  readonly secure: boolean;
  /** A name or an IP address, without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** For the header Host. */
  readonly host: string;
  readonly origin: string;
  /** Path of the service's own address, with or without a slash at its end, as the provider gave it. */
  readonly rootPath: string;
  /** Path below which everything is forwarded, without a slash at its end. */
  readonly basePath: string;
  /** Value of Authorization, or null. */
  readonly authorization: string | null;
  readonly timeoutMs: number;
}

/**
 * Checks a target and seals its credentials. `before` is the target that it replaces. Throws invalid-request with
 * pointers.
 */
export function targetColumns(
  platform: Platform,
  { url, timeoutSeconds, credentials }: TargetRequest,
  before: TargetColumns | null,
  pointer: string,
): TargetColumns {
  const address = requireAllowed(platform.configuration.onPremise, url, `${pointer}/url`);
  const kept = credentials === undefined ? (before?.sealed_credentials ?? null) : null;
  // Otherwise a person who may change the target could have the credentials sent to their own host.
  if (before && kept !== null && new URL(before.url).origin !== address.origin) {
    throw invalid(
      `${pointer}/credentials`,
      'must be sent anew, or null, when scheme, host or port change: they are not handed to another host',
    );
  }
  return {
    url: address.href,
    timeout_ms: timeoutSeconds * 1000,
    sealed_credentials: credentials ? platform.seal.seal(PURPOSE, JSON.stringify(credentials)) : kept,
  };
}

/** Checks a target without resolving its name. The address of every connection is checked later. */
function requireAllowed(settings: OnPremiseSettings, text: string, pointer: string): URL {
  const url = URL.parse(text);
  if (!url || url.hostname === '') throw invalid(pointer, 'is no address');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && settings.http)) {
    throw invalid(pointer, settings.http ? 'must begin with https:// or http://' : 'must begin with https://');
  }
  if (url.username !== '' || url.password !== '') throw invalid(pointer, 'must not hold credentials; send them apart');
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text)) {
    throw invalid(pointer, 'must not hold a query or a fragment');
  }
  // The URL parser has resolved dot segments, so the text is checked: what they were meant to say is uncertain.
  if (hasDotSegments(text.slice(text.indexOf('://') + 3))) throw invalid(pointer, 'must not hold . or .. in its path');
  const port = portOf(url);
  if (!isAllowedPort(settings, port))
    throw invalid(pointer, `names port ${port}, which this installation does not allow`);
  const hostname = hostnameOf(url);
  const isAddress = url.hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  if (isAddress && !createAddressRules(settings.networks).allows(hostname)) {
    throw invalid(pointer, 'lies in a network that this installation does not allow');
  }
  return url;
}

export function isAllowedPort({ ports }: OnPremiseSettings, port: number): boolean {
  return ports.some(([first, last]) => port >= first && port <= last);
}

function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

function hostnameOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function invalid(pointer: string, detail: string): Problem {
  return new Problem('invalid-request', `The target ${pointer} ${detail}.`, { errors: [{ pointer, detail }] });
}

export function presentTarget(row: TargetColumns): Target {
  return {
    url: row.url,
    timeoutSeconds: row.timeout_ms / 1000,
    hasCredentials: row.sealed_credentials !== null,
  };
}

/** Reads stored targets. Each row is parsed and its credentials unsealed once. */
export function createDestinations(platform: Platform): (row: TargetColumns) => Destination {
  const known = new WeakMap<TargetColumns, Destination>();
  return (row) => {
    const destination = known.get(row) ?? destinationOf(platform, row);
    known.set(row, destination);
    return destination;
  };
}

function destinationOf(platform: Platform, row: TargetColumns): Destination {
  const url = new URL(row.url);
  const credentials =
    row.sealed_credentials === null
      ? null
      : (JSON.parse(platform.seal.unseal(PURPOSE, row.sealed_credentials)) as TargetCredentials);
  return {
    secure: url.protocol === 'https:',
    hostname: hostnameOf(url),
    port: portOf(url),
    host: url.host,
    origin: url.origin,
    rootPath: url.pathname,
    basePath: url.pathname.replace(/\/+$/, ''),
    authorization: credentials && basic(credentials),
    timeoutMs: row.timeout_ms,
  };
}

/** Basic credentials (RFC 7617), in UTF-8. */
function basic({ username, password }: TargetCredentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

export function insertTarget(transaction: Queries, versionId: string, columns: TargetColumns) {
  return transaction
    .insertInto('on_premise_targets')
    .values({ service_version_id: versionId, ...columns })
    .execute();
}

export function updateTarget(transaction: Queries, versionId: string, columns: TargetColumns) {
  return transaction
    .updateTable('on_premise_targets')
    .set(columns)
    .where('service_version_id', '=', versionId)
    .execute();
}
