import type { FastifyInstance } from 'fastify';
import { Problem } from '../http/index.ts';
import type { NewUser } from './create-user.ts';

/** A person as the identity provider knows them. */
export interface Identity {
  /** Subject; the id of the user everywhere in Kethub. */
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly firstname: string;
  readonly lastname: string;
  readonly status: 'PENDING' | 'APPROVED' | 'REJECTED';
  readonly enabled: boolean;
}

/** Where identities live and people sign in: embedded, or an external server. */
export interface IdentityProvider {
  /** The subject of a login session's access token; null when it is expired, forged or meant for something else. */
  verify(accessToken: string): Promise<{ readonly subject: string } | null>;
  /** The person of this subject as of at most 10 s ago, or null. Throws IdentityProviderUnavailable. */
  find(subject: string): Promise<Identity | null>;
  /** The approved users among these subjects, in their order; null for everybody else. */
  findApproved(subjects: readonly string[]): Promise<(Identity | null)[]>;
  /** Removes the person; one who is already gone is fine. Throws IdentityProviderUnavailable. */
  delete(subject: string): Promise<void>;
}

/** An identity provider with what the platform needs beside to run with it. */
export interface IdentityService extends IdentityProvider {
  /** Where login sessions are granted and refreshed. */
  readonly tokenEndpoint: string;
  /** Serves what belongs to it on the server of the platform. */
  serve(app: FastifyInstance): Promise<void>;
  /** Adds a person with a verified e-mail address. Throws `conflict` when the username or the address is taken. */
  createUser(user: NewUser): Promise<Identity>;
  close(): Promise<void>;
}

/** An approved user: admitted by an administrator, with a verified address, not switched off. */
export function isApproved(identity: Identity): boolean {
  return identity.enabled && identity.emailVerified && identity.status === 'APPROVED';
}

/** The identity provider did not answer, so that nobody can be judged: answered with 503, never taken for a no. */
export class IdentityProviderUnavailable extends Problem {
  constructor(cause: unknown) {
    super('identity-provider-unavailable', 'The identity provider does not answer. Nothing was done. Try again.', {
      cause,
    });
  }
}
