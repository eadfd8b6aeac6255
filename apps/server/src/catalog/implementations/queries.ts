import type { MemberRole } from '@kethub/contract';
import { sql } from 'kysely';
import { containing } from '../../foundation/storage/index.ts';
import type { Database, ImplementationRow, OwnerType, Queries } from '../../foundation/storage/index.ts';

/** The SQL of implementations, their members and names. */

interface Named {
  readonly type: OwnerType;
  readonly id: string;
}

export function findImplementation(queries: Queries, id: string): Promise<ImplementationRow | undefined> {
  return queries.selectFrom('implementations').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds an implementation by its address, or by a former one. */
export function findByAddress(queries: Queries, ownerId: string, name: string): Promise<ImplementationRow | undefined> {
  return queries
    .selectFrom('implementation_names')
    .innerJoin('implementations', 'implementations.id', 'implementation_id')
    .selectAll('implementations')
    .where('implementation_names.owner_id', '=', ownerId)
    .where('implementation_names.name', '=', name)
    .executeTakeFirst();
}

/** Locks an implementation until the end of the transaction. On SQLite there is one writer, which is the lock. */
export function lockImplementation(
  { dialect }: Database,
  transaction: Queries,
  id: string,
): Promise<ImplementationRow | undefined> {
  const query = transaction.selectFrom('implementations').selectAll().where('id', '=', id);
  return (dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

export async function roleOfMember(queries: Queries, id: string, member: Named): Promise<MemberRole | null> {
  const row = await queries
    .selectFrom('implementation_members')
    .select('role')
    .where('implementation_id', '=', id)
    .where('member_type', '=', member.type)
    .where('member_id', '=', member.id)
    .executeTakeFirst();
  return row?.role ?? null;
}

/** An implementation in a list, with the role that the caller was granted; null for the caller's own. */
export type ListedImplementation = ImplementationRow & { readonly granted: MemberRole | null };

/** The implementations that belong to an owner or were shared with them, newest first; with `q` those with it in their name. */
export async function implementationsFor(
  queries: Queries,
  { type, id }: Named,
  { q }: { readonly q?: string | undefined },
  cursor: string | null,
  limit: number,
): Promise<ListedImplementation[]> {
  const isNamed = q === undefined ? sql<boolean>`true` : containing('implementations.name', q);
  const owned = queries
    .selectFrom('implementations')
    .selectAll()
    .where('owner_type', '=', type)
    .where('owner_id', '=', id)
    .where(isNamed)
    .orderBy('id', 'desc')
    .limit(limit);
  const shared = queries
    .selectFrom('implementation_members')
    .innerJoin('implementations', 'implementations.id', 'implementation_id')
    .selectAll('implementations')
    .select('role as granted')
    .where('member_type', '=', type)
    .where('member_id', '=', id)
    .where(isNamed)
    .orderBy('implementation_id', 'desc')
    .limit(limit);
  const own = await (cursor === null ? owned : owned.where('id', '<', cursor)).execute();
  const granted = await (cursor === null ? shared : shared.where('implementation_id', '<', cursor)).execute();
  const rows: ListedImplementation[] = [...own.map((row) => ({ ...row, granted: null })), ...granted];
  return rows.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
}

/** The names at which an implementation answers, also its former ones. */
export function namesOf(queries: Queries, id: string): Promise<{ owner_id: string; name: string }[]> {
  return queries
    .selectFrom('implementation_names')
    .select(['owner_id', 'name'])
    .where('implementation_id', '=', id)
    .orderBy('owner_id')
    .orderBy('name')
    .execute();
}

/**
 * Has the rules for pushes looked at anew: those of one implementation, or all. The time always changes, so that a look
 * that goes on does not take this for what it has seen.
 */
export async function makeSourcesDue(queries: Queries, now: number, implementationId?: string): Promise<void> {
  const due = sql<number>`case when due_at = ${now} then cast(${now + 1} as bigint) else cast(${now} as bigint) end`;
  const all = queries.updateTable('service_sources').set({ due_at: due });
  await (implementationId === undefined ? all : all.where('implementation_id', '=', implementationId)).execute();
}
