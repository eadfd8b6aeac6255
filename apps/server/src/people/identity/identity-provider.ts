import type { Mailer } from '../../foundation/mail/index.ts';
import type { ApprovalStatus } from '@kethub/contract';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../foundation/http/index.ts';

/** A person as the identity provider knows them. */
export interface Identity {
  /** Subject; the id of the user everywhere in Kethub. */
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly firstname: string;
  readonly lastname: string;
  readonly status: ApprovalStatus;
  readonly enabled: boolean;
}

/** Returns whether the account is blocked: it cannot sign in, and its login sessions have ended. */
export function isBlocked({ enabled, status }: Pick<Identity, 'enabled' | 'status'>): boolean {
  return !enabled || status === 'REJECTED';
}

/** A person whom an operator adds, with a verified address. */
export interface NewUser {
  readonly username: string;
  readonly email: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly password: string;
  readonly status: Identity['status'];
}

/** The part of a person that administrators decide about. */
export type AccountState = Pick<Identity, 'status' | 'enabled'>;

/** A person as administrators see them. */
export interface RegisteredPerson extends Identity {
  /** Epoch milliseconds; null if unknown. */
  readonly createdAt: number | null;
}

/** The operations of administrators. Nothing is answered from a cache. */
export interface Administration {
  /** Throws IdentityProviderUnavailable. */
  find(subject: string): Promise<RegisteredPerson | null>;
  /**
   * People of this status, or of any, after `cursor`. The embedded provider gives the newest first; Keycloak can give
   * people by username only. Throws IdentityProviderUnavailable.
   */
  list(status: ApprovalStatus | null, cursor: string | null, limit: number): Promise<readonly ListedPerson[]>;
  /**
   * Replaces the state `from` by `to`; one of two concurrent decisions succeeds. Returns the changed person, or null
   * if there is none. Throws `conflict` if the state is not `from` any more, and IdentityProviderUnavailable.
   */
  change(subject: string, from: AccountState, to: AccountState): Promise<RegisteredPerson | null>;
}

/** A person of a list. */
export interface ListedPerson {
  /** The cursor of the page that begins after this person. */
  readonly id: string;
  readonly person: RegisteredPerson;
}

/** The port for identities and sign-in: the embedded provider, or an external server. */
export interface IdentityProvider {
  /** The subject of a login session's access token; null if it is expired, forged or for another audience. */
  verify(accessToken: string): Promise<{ readonly subject: string } | null>;
  /** The person of this subject as of at most 10 s ago, or null. Throws IdentityProviderUnavailable. */
  find(subject: string): Promise<Identity | null>;
  /** The approved users among these subjects, in their order; null for each other subject. */
  findApproved(subjects: readonly string[]): Promise<(Identity | null)[]>;
  /**
   * The person who has or claims this address, ignoring case, as of at most 10 s ago, or null. If several do, an
   * approved user among them takes precedence. Throws IdentityProviderUnavailable.
   */
  findByEmail(email: string): Promise<Identity | null>;
  /** Ends every login session of the person, so that none is renewed. Throws IdentityProviderUnavailable. */
  endSessions(subject: string): Promise<void>;
  /** Removes the person, if there is one. Throws IdentityProviderUnavailable. */
  delete(subject: string): Promise<void>;
}

/**
 * The public client of all programs but the dashboard. It has no secret; PKCE protects the code (RFC 7636, RFC 8252).
 */
export const CLIENT_ID = 'kethub';

/** Sign-in at an external provider in a browser, for the page that shows the progress of a registration. */
export interface BrowserSignIn {
  /** Returns the address at the provider, and a secret for the browser's cookie. Throws IdentityProviderUnavailable. */
  begin(): Promise<{ readonly url: URL; readonly cookie: string }>;
  /**
   * The person who has come back with this query and this cookie. Null if the sign-in was cancelled, has expired, or
   * belongs to another browser. Throws IdentityProviderUnavailable.
   */
  complete(query: URLSearchParams, cookie: string): Promise<Identity | null>;
}

/** An identity provider, and the operations by which the platform runs it. */
export interface IdentityService extends IdentityProvider {
  readonly administration: Administration;
  /** The outbox of the provider's mails; null if it sends none. */
  readonly mailer: Mailer | null;
  /** The issuer of the tokens of login sessions (OpenID Connect Discovery 1.0). */
  readonly issuer: string;
  /** The address that grants and refreshes login sessions. */
  readonly tokenEndpoint: string;
  /** Null for the embedded provider, whose own pages show the progress of a registration. */
  readonly browserSignIn: BrowserSignIn | null;
  /** Adds its routes to the server of the platform. */
  serve(app: FastifyInstance): Promise<void>;
  /** Adds a person with a verified email address. Throws `conflict` if username or address are taken. */
  createUser(user: NewUser): Promise<Identity>;
  close(): Promise<void>;
}

/**
 * Returns whether a person is an approved user: approved by an administrator, with a verified address, and not
 * disabled.
 */
export function isApproved(identity: Identity): boolean {
  return identity.enabled && identity.emailVerified && identity.status === 'APPROVED';
}

export function isSameState(one: AccountState, other: AccountState): boolean {
  return one.status === other.status && one.enabled === other.enabled;
}

/** The problem (409) of a decision about a person whose state has changed meanwhile. */
export function decidedMeanwhile(): Problem {
  return new Problem('conflict', 'Somebody else has decided about this person meanwhile. Look again, then decide.');
}

/** The problem (503) that the identity provider did not answer. It never counts as a refusal. */
export class IdentityProviderUnavailable extends Problem {
  constructor(cause: unknown) {
    super('identity-provider-unavailable', 'The identity provider does not answer. Nothing was done. Try again.', {
      cause,
    });
  }
}
