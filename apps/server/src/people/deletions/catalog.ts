import type { Queries, OwnerType } from '../../foundation/storage/index.ts';

/** A resource that belongs to one user alone, and the call that removes it. */
export interface Owned {
  /** Name of the resource, such as `application "Simulation"`. */
  readonly what: string;
  /** The call that removes it, such as `DELETE /applications/…`. */
  readonly remedy: string;
}

/**
 * A domain in which users own resources. The deletion of an account calls it in its own transaction, under the lock of
 * the account. So the answer is still true at the commit. After an error nothing is deleted.
 */
export interface Catalog {
  /** Resources that belong to this user alone, at most `most`. */
  ownedBy(transaction: Queries, userId: string, most: number): Promise<readonly Owned[]>;
  /** Removes the rows of a user who owns nothing. */
  forget(transaction: Queries, userId: string): Promise<void>;
}

/** The resources of a user in a table with names and owners; `address` is the collection to delete them from. */
export async function ownedIn(
  transaction: Queries,
  table: 'applications' | 'services' | 'data_pools' | 'implementations',
  { kind, address }: { kind: string; address: string },
  userId: string,
  most: number,
): Promise<Owned[]> {
  const rows = await transaction
    .selectFrom(table)
    .select(['id', 'name'])
    .where('owner_type', '=', 'USER')
    .where('owner_id', '=', userId)
    .limit(most)
    .execute();
  return rows.map(({ id, name }) => ({ what: `${kind} "${name}"`, remedy: `DELETE ${address}/${id}` }));
}

/** Updates the name of an owner that another domain stores, in the transaction that changes the name. */
export type OwnerRenamed = (
  transaction: Queries,
  owner: { readonly type: OwnerType; readonly id: string },
  name: string,
) => Promise<void>;
