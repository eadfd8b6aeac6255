import type { MemberRole } from '@kethub/contract';
import { SqliteAdapter } from 'kysely';
import { Problem } from '../../foundation/http/index.ts';
import type { Database, Queries } from '../../foundation/storage/index.ts';

/** The role of a person in an organization, or null when they have not joined it or there is no such organization. */
export async function roleIn(queries: Queries, organizationId: string, userId: string): Promise<MemberRole | null> {
  const row = await queries
    .selectFrom('memberships')
    .select('role')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.role ?? null;
}

/** The organizations that a person has joined, with the role there, newest first. */
export function joinedOrganizations(queries: Queries, userId: string) {
  return queries
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['organizations.id', 'name', 'role'])
    .where('user_id', '=', userId)
    .orderBy('organizations.id', 'desc')
    .execute();
}

/**
 * Locks an organization until the end of the transaction, so that its members and resources do not change. SHARED only
 * prevents its deletion. SQLite has one writer and needs no lock. Throws `not-found`.
 */
export async function lockOrganization(
  { dialect }: Database,
  transaction: Queries,
  id: string,
  how: 'SHARED' | 'EXCLUSIVE' = 'EXCLUSIVE',
) {
  const query = transaction.selectFrom('organizations').selectAll().where('id', '=', id);
  const locked = how === 'SHARED' ? query.forShare() : query.forUpdate();
  const row = await (dialect === 'postgres' ? locked : query).executeTakeFirst();
  if (!row) throw new Problem('not-found', `There is no organization ${id}, or you have not joined it.`);
  return row;
}

/** Throws `conflict` when nobody but `userId` owns the organization. Call with the organization locked. */
export async function requireOtherOwner(transaction: Queries, organizationId: string, userId: string): Promise<void> {
  const other = await transaction
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'OWNER')
    .where('user_id', '!=', userId)
    .executeTakeFirst();
  if (other) return;
  throw new Problem(
    'conflict',
    'An organization needs an owner, and this is the last one. Make another member OWNER first, or delete the organization.',
  );
}

/**
 * Locks every organization that this person owns, in the order of ids. When two owners delete their accounts at the
 * same time, the second sees that the first is gone. SQLite has one writer and needs no lock.
 */
export async function lockOwnedOrganizations(transaction: Queries, userId: string): Promise<void> {
  if (transaction.getExecutor().adapter instanceof SqliteAdapter) return;
  await transaction
    .selectFrom('organizations')
    .innerJoin('memberships', 'memberships.organization_id', 'organizations.id')
    .select('organizations.id')
    .where('user_id', '=', userId)
    .where('role', '=', 'OWNER')
    .orderBy('organizations.id')
    .forUpdate('organizations')
    .execute();
}

/** The organizations of which this person is the only owner. */
export function organizationsOwnedAlone(queries: Queries, userId: string, most: number) {
  return queries
    .selectFrom('memberships as own')
    .innerJoin('organizations', 'organizations.id', 'own.organization_id')
    .select(['organizations.id', 'organizations.name'])
    .where('own.user_id', '=', userId)
    .where('own.role', '=', 'OWNER')
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('memberships as other')
            .select('other.user_id')
            .whereRef('other.organization_id', '=', 'own.organization_id')
            .where('other.role', '=', 'OWNER')
            .where('other.user_id', '!=', userId),
        ),
      ),
    )
    .limit(most)
    .execute();
}
