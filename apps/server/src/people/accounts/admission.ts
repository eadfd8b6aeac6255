import type { FastifyRequest } from 'fastify';
import { beingDeleted } from '../deletions/index.ts';
import { isAllowed, isOperation, operations } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';
import { isApproved, type Identity } from '../identity/index.ts';
import { roleIn } from '../organizations/index.ts';
import type { Caller, Context, Person, PlatformAccess } from '../../foundation/platform.ts';
import type { AccountDeletionRow } from '../../foundation/storage/index.ts';
import type { AccountServices } from './services.ts';
import { credentialOf, notAuthenticated, type Credential } from './credentials.ts';
import { outsideScope, requireWithinScope, scopeOf } from './token-scope.ts';

/** Authenticates and authorizes callers: 401 if unknown, 403 if not allowed, 503 if that cannot be decided. */
export function createAdmission(services: AccountServices) {
  return async (access: PlatformAccess, request: FastifyRequest, visitors: boolean): Promise<Caller> => {
    if (access === 'RAW_TOKEN') return { person: null, context: null };
    if (access === 'ANYONE') return { person: await knownPerson(services, request), context: null };
    const credential = credentialOf(request);
    if (!credential) {
      if (visitors) return { person: null, context: null };
      throw notAuthenticated(
        'Send a login session in Authorization: Bearer, or a personal access token in X-Auth-Token.',
      );
    }
    const person = await personOf(services, credential);
    if (person.scope) await requireWithinScope(services.serviceOfExecution, person.scope, access, request);
    await requireAccess(services, access, person);
    return { person, context: access === 'SIGNED_IN' ? null : await contextOf(services, access, request, person) };
  };
}

/** Admits an approved user by a personal access token alone; null for an unknown token. */
export function createTokenAdmission(services: AccountServices) {
  return async (rawToken: string): Promise<Person | null> => {
    const verified = await services.verifyPersonalAccessToken(rawToken);
    if (!verified) return null;
    if (scopeOf(verified.token) !== null)
      throw outsideScope('A token with a scope is for the platform interface, not for repositories.');
    const person: Person = { id: verified.userId, credential: 'ACCESS_TOKEN' };
    await requireAccess(services, 'APPROVED', person);
    return person;
  };
}

/** The caller of a public endpoint, for limits only. Null without credentials, or if they cannot be verified. */
async function knownPerson(services: AccountServices, request: FastifyRequest): Promise<Person | null> {
  try {
    const credential = credentialOf(request);
    return credential && (await personOf(services, credential));
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

async function personOf(services: AccountServices, { type, token }: Credential): Promise<Person> {
  if (type === 'ACCESS_TOKEN') {
    const verified = await services.verifyPersonalAccessToken(token);
    if (verified) {
      const scope = scopeOf(verified.token);
      return { id: verified.userId, credential: type, ...(scope && { scope }) };
    }
    throw notAuthenticated('The personal access token is expired, malformed or unknown.', 'invalid_token');
  }
  const verified = await services.identity.verify(token);
  if (verified) return { id: verified.subject, credential: type };
  throw notAuthenticated('The login session is expired or not valid. Refresh it or sign in again.', 'invalid_token');
}

/** Refuses a person whose account is deleted, or being deleted, unless the request repeats the deletion. */
function requireLeaving(access: PlatformAccess, { ended_at }: AccountDeletionRow): void {
  if (access === 'APPROVED_OR_LEAVING') return;
  throw ended_at === null && access !== 'SIGNED_IN' ? beingDeleted() : accountGone();
}

function accountGone(): Problem {
  return notAuthenticated('The account behind these credentials does not exist any more.', 'invalid_token');
}

async function requireAccess(services: AccountServices, access: PlatformAccess, person: Person): Promise<void> {
  const deletion = await services.findDeletion(person.id);
  if (deletion) return requireLeaving(access, deletion);
  const identity = await services.identity.find(person.id);
  if (!identity) throw accountGone();
  // Any status is admitted, because such an endpoint reports the status.
  if (access === 'SIGNED_IN') return;
  if (!identity.enabled) throw new Problem('not-approved', 'The account is switched off.');
  if (!isApproved(identity)) {
    throw new Problem('not-approved', 'The account is not an approved user. An administrator approves registrations.');
  }
  if (access === 'LOGIN_SESSION' && person.credential !== 'LOGIN_SESSION') {
    throw new Problem('login-session-required', 'Sign in for this: a personal access token is not enough.');
  }
  if (access === 'ADMINISTRATOR' && !isAdministrator(services, identity)) {
    throw new Problem('not-administrator', 'Only administrators of the platform may do this.');
  }
}

/** Returns whether an approved person is named in KETHUB_ADMINISTRATORS. */
export function isAdministrator({ platform }: AccountServices, { username }: Identity): boolean {
  return platform.configuration.administrators.includes(username.normalize('NFC').toLowerCase());
}

/**
 * The owner for whom a request acts: the organization in the path, else the one in X-OrganizationId, else the caller.
 * Throws if the caller has not joined that organization, or has a role that does not allow the operation.
 */
async function contextOf(
  { platform }: AccountServices,
  access: PlatformAccess,
  request: FastifyRequest,
  person: Person,
): Promise<Context> {
  const { organizationId: named } = request.params as { organizationId?: string };
  const header = request.headers['x-organizationid'];
  const id = named ?? header;
  const limit = person.scope?.serviceIds && { serviceIds: person.scope.serviceIds };
  if (id === undefined) return { type: 'USER', id: person.id, role: 'OWNER', personId: person.id, ...limit };
  const role = typeof id === 'string' ? await roleIn(platform.database.read, id, person.id) : null;
  if (!role) {
    if (named !== undefined)
      throw new Problem('not-found', `There is no organization ${named}, or you have not joined it.`);
    throw new Problem(
      'unknown-organization',
      'The organization named by X-OrganizationId does not exist or you have not joined it. Leave the header out to act personally.',
    );
  }
  if (isOperation(access) && !isAllowed(role, access)) {
    throw new Problem(
      'not-permitted',
      `This takes the role ${operations[access]} in the organization; yours is ${role}. Ask an owner of it.`,
    );
  }
  return { type: 'ORGANIZATION', id: String(id), role, personId: person.id, ...limit };
}
