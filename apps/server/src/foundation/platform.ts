import type { MemberRole } from '@kethub/contract';
import type { Logger } from 'pino';
import type { Operation } from '@kethub/contract';
import type { Configuration } from './config/index.ts';
import type { ConnectionLimits } from './http/connections.ts';
import type { Blobs, Database, Seal } from './storage/index.ts';
import type { Telemetry } from './telemetry/index.ts';

/** Public addresses, without a slash at the end. */
export interface Addresses {
  /** {base_url}: platform interface. */
  readonly api: string;
  /** {auth_url}: identity provider, also its issuer. */
  readonly auth: string;
  /** {gateway_url}. */
  readonly gateway: string;
  /** Pages about problems: {base_url}/problems. */
  readonly problems: string;
}

/** What every domain stands on. Time and ids come from here, so that a test can pass its own. */
export interface Platform {
  readonly configuration: Configuration;
  readonly addresses: Addresses;
  readonly database: Database;
  readonly blobs: Blobs;
  readonly seal: Seal;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** Of all ports of this process. */
  readonly connections: ConnectionLimits;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** A new UUID of version 7. */
  readonly newId: () => string;
  /** The worker in this process; null where there is none. */
  readonly workerId: string | null;
}

/** Who makes a request on the platform interface. */
export interface Person {
  /** Subject at the identity provider. */
  readonly id: string;
  readonly credential: 'LOGIN_SESSION' | 'ACCESS_TOKEN';
}

/** Whose resources a request is about: the caller, or an organization that the caller has joined; and who acts, as what. */
export interface Context {
  readonly type: 'USER' | 'ORGANIZATION';
  readonly id: string;
  /** Of the person in this context; OWNER of what is their own. */
  readonly role: MemberRole;
  readonly personId: string;
}

/**
 * What an endpoint of the platform interface asks of its caller: nothing; a personal access token that the operation
 * itself judges; an authenticated person of any status; an approved user; the same or one whose account is being
 * deleted; an approved user in a login session; an approved user who is an administrator; or, for an operation on
 * resources, an approved user whose role in the context is enough for it.
 */
export type PlatformAccess =
  | 'ANYONE'
  | 'RAW_TOKEN'
  | 'SIGNED_IN'
  | 'APPROVED'
  | 'APPROVED_OR_LEAVING'
  | 'LOGIN_SESSION'
  | 'ADMINISTRATOR'
  | Operation;

/** The admitted caller; `person` is null where the access is ANYONE or RAW_TOKEN, `context` also where it is SIGNED_IN. */
export interface Caller {
  readonly person: Person | null;
  readonly context: Context | null;
}

/** {service_endpoint}: the address of one version of a service at the gateway, with the slash at its end. */
export function serviceEndpoint(addresses: Addresses, ownerId: string, slug: string, version: string): string {
  return `${addresses.gateway}/${encodeURIComponent(ownerId)}/${slug}/${version}/`;
}
