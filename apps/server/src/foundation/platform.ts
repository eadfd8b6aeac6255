import type { AccessTokenScope, MemberRole, Operation } from '@kethub/contract';
import type { Logger } from 'pino';
import type { Configuration } from './config/index.ts';
import type { ConnectionLimits } from './http/connections.ts';
import type { Blobs, Database, Seal } from './storage/index.ts';
import type { Telemetry } from './telemetry/index.ts';
import type { Pace } from './workers/pace.ts';
import type { WorkPoll } from './workers/work-poll.ts';

/** Public addresses of the platform, without a slash at the end. */
export interface Addresses {
  /** {base_url}: platform interface. */
  readonly api: string;
  /** {auth_url}: identity provider, also its issuer. */
  readonly auth: string;
  /** {gateway_url}. */
  readonly gateway: string;
  /** {git_url}: repositories. */
  readonly git: string;
  /** Pages about problems: {base_url}/problems. */
  readonly problems: string;
}

/** The infrastructure that every domain uses. It includes time and ids, so that a test can pass its own. */
export interface Platform {
  readonly configuration: Configuration;
  readonly addresses: Addresses;
  readonly database: Database;
  readonly blobs: Blobs;
  readonly seal: Seal;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** Shared by all ports of this process. */
  readonly connections: ConnectionLimits;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** A new UUID of version 7. */
  readonly newId: () => string;
  /** The worker in this process; null where there is none. */
  readonly workerId: string | null;
  /** The pace at which this process looks for work that any worker may do. */
  readonly pace: Pace;
  /** Looks for it, for all parts of this process. */
  readonly workPoll: WorkPoll;
}

/** A user who makes a request on the platform interface. */
export interface Person {
  /** Subject at the identity provider. */
  readonly id: string;
  readonly credential: 'LOGIN_SESSION' | 'ACCESS_TOKEN';
  /** Limits of the personal access token; absent for a login session and for a token without limits. */
  readonly scope?: AccessTokenScope;
}

/**
 * The owner of the resources of a request (the caller, or an organization of the caller), and the role of the caller
 * there.
 */
export interface Context {
  readonly type: 'USER' | 'ORGANIZATION';
  readonly id: string;
  /** Role of the person in this context; OWNER for the person's own resources. */
  readonly role: MemberRole;
  readonly personId: string;
  /** The services to which the token of the caller is limited; absent without such a limit. */
  readonly serviceIds?: readonly string[];
}

/**
 * Requirement of an endpoint on its caller.
 * - ANYONE: none.
 * - RAW_TOKEN: a personal access token, which the operation itself verifies.
 * - SIGNED_IN: an authenticated person of any status.
 * - APPROVED: an approved user.
 * - APPROVED_OR_LEAVING: the same, or a user whose account is being deleted.
 * - LOGIN_SESSION: an approved user in a login session.
 * - ADMINISTRATOR: an approved user who is an administrator.
 * - An operation on resources: an approved user whose role in the context permits it.
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

/** The admitted caller. Both are null for RAW_TOKEN and visitors; `context` is null for ANYONE and SIGNED_IN, too. */
export interface Caller {
  readonly person: Person | null;
  readonly context: Context | null;
}

/** {service_endpoint}: the address of one version of a service at the gateway, with the slash at its end. */
export function serviceEndpoint(addresses: Addresses, ownerId: string, slug: string, version: string): string {
  return `${addresses.gateway}/${encodeURIComponent(ownerId)}/${slug}/${version}/`;
}
