import { isAllowed, operations, type MemberRole, type Operation } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';
import type { Context } from '../../foundation/platform.ts';
import type { Database, ImplementationRow, Queries } from '../../foundation/storage/index.ts';
import { isOwner, restrict, type Subject } from '../../people/organizations/index.ts';
import { findImplementation, lockImplementation, roleOfMember } from './queries.ts';

/**
 * Decides every access to an implementation: the role of a subject on it (null: a visitor). It is null when the
 * implementation is private and not shared with the subject. A person who acts for a member organization has no more
 * rights than their role there.
 */
export async function roleOn(
  queries: Queries,
  implementation: ImplementationRow,
  subject: Subject | null,
): Promise<MemberRole | null> {
  const everybody = implementation.visibility === 'PUBLIC' ? 'VIEWER' : null;
  if (!subject) return everybody;
  if (isOwner(implementation, subject)) return subject.role;
  const granted = await roleOfMember(queries, implementation.id, subject);
  if (granted) return restrict(granted, subject);
  return everybody;
}

/** A reader of repositories: an approved user in a context, or null for a visitor, who sees what is public. */
export type Reader = Context | null;

export interface OfCaller {
  readonly implementation: ImplementationRow;
  readonly role: MemberRole;
}

/**
 * Returns the implementation if the operation is allowed. Throws `not-found` for a caller without a role on it, else
 * `not-permitted`.
 */
export async function requireImplementation(
  queries: Queries,
  context: Reader,
  id: string,
  operation: Operation,
): Promise<OfCaller> {
  return judge(queries, await findImplementation(queries, id), context, id, operation);
}

/** {@link requireImplementation} that locks the row, so that no other transaction changes it or its members. */
export async function requireLocked(
  database: Database,
  transaction: Queries,
  context: Context,
  id: string,
  operation: Operation,
): Promise<OfCaller> {
  return judge(transaction, await lockImplementation(database, transaction, id), context, id, operation);
}

async function judge(
  queries: Queries,
  implementation: ImplementationRow | undefined,
  context: Reader,
  id: string,
  operation: Operation,
): Promise<OfCaller> {
  const role = implementation && (await roleOn(queries, implementation, context));
  if (!implementation || !role)
    throw (implementation && context && (await elsewhere(queries, implementation, context))) ?? noImplementation(id);
  if (isAllowed(role, operation)) return { implementation, role };
  throw new Problem(
    'not-permitted',
    `This takes the role ${operations[operation]} on the implementation; yours is ${role}. Ask an owner of it.`,
  );
}

/**
 * The problem for a person who sees the implementation in another context, such as after its transfer to their
 * organization. Returns null for everybody else, for whom it does not exist.
 */
async function elsewhere(
  queries: Queries,
  implementation: ImplementationRow,
  { type, personId }: Context,
): Promise<Problem | null> {
  if (type !== 'USER' && (await roleOn(queries, implementation, { type: 'USER', id: personId, role: 'OWNER' })))
    return new Problem('not-found', `You see the implementation ${implementation.id} when you act for yourself.`);
  const { id, owner_type, owner_id } = implementation;
  const members = queries
    .selectFrom('implementation_members')
    .select('member_id')
    .where('implementation_id', '=', id)
    .where('member_type', '=', 'ORGANIZATION');
  const organization = await queries
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'organization_id')
    .select(['organizations.id', 'organizations.name'])
    .where('user_id', '=', personId)
    .where((is) =>
      is.or([
        is('organizations.id', 'in', members),
        ...(owner_type === 'ORGANIZATION' ? [is('organizations.id', '=', owner_id)] : []),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  if (!organization) return null;
  const { name } = organization;
  return new Problem(
    'not-found',
    `You see the implementation ${id} when you act for the organization ${name} (${organization.id}).`,
  );
}

export function noImplementation(id: string): Problem {
  return new Problem('not-found', `There is no implementation ${id}, or you may not see it.`);
}

/** Says why nobody can push to a repository. */
export function readOnlyText(reason: NonNullable<ImplementationRow['read_only']>): string {
  return reason === 'MIRROR'
    ? 'The repository is a mirror of another one. Push there, or let an owner end the mirror (ket repo unlink).'
    : 'The repository is being imported. Push when that has ended (ket repo show).';
}
