import type { Queries, ShareRow } from '../../foundation/storage/index.ts';

/** The SQL of shares. */

export interface Owner {
  readonly type: 'USER' | 'ORGANIZATION';
  readonly id: string;
}

export function recipientColumns({ type, id }: Owner): Pick<ShareRow, 'user_id' | 'organization_id'> {
  return { user_id: type === 'USER' ? id : null, organization_id: type === 'ORGANIZATION' ? id : null };
}

export function recipientOf({ user_id, organization_id }: ShareRow): Owner {
  return user_id === null ? { type: 'ORGANIZATION', id: organization_id ?? '' } : { type: 'USER', id: user_id };
}

/** The shares of a service, newest first. */
export function sharesOf(queries: Queries, serviceId: string): Promise<ShareRow[]> {
  return queries.selectFrom('shares').selectAll().where('service_id', '=', serviceId).orderBy('id', 'desc').execute();
}

export function findShare(queries: Queries, serviceId: string, id: string): Promise<ShareRow | undefined> {
  return queries
    .selectFrom('shares')
    .selectAll()
    .where('id', '=', id)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
}

/** Shares with this owner that are active now. */
export function activeShares(queries: Queries, { type, id }: Owner, now: number) {
  return queries
    .selectFrom('shares')
    .where(type === 'USER' ? 'user_id' : 'organization_id', '=', id)
    .where((where) => where.or([where('start_at', 'is', null), where('start_at', '<=', now)]))
    .where((where) => where.or([where('end_at', 'is', null), where('end_at', '>', now)]));
}
