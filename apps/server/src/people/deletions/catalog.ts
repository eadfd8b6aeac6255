import type { Queries } from '../../foundation/storage/index.ts';

/** Something that belongs to one user alone, and what that user can do about it. */
export interface Owned {
  /** Such as `application "Simulation"`. */
  readonly what: string;
  /** Such as `DELETE /applications/…`. */
  readonly remedy: string;
}

/**
 * A domain that knows what users own. It is asked before an account is deleted, inside the transaction that does it and
 * under the lock of the account, so that what it says is still true when the account is gone. What it throws means that
 * ownership cannot be known: then nothing is deleted.
 */
export interface Catalog {
  /** What belongs to this user alone, at most `most` of it. */
  ownedBy(transaction: Queries, userId: string, most: number): Promise<readonly Owned[]>;
  /** Removes what the domain keeps of a user who owns nothing. */
  forget(transaction: Queries, userId: string): Promise<void>;
}

/** What a user owns in a table of resources with a name and an owner, deleted at `address` by its id. */
export async function ownedIn(
  transaction: Queries,
  table: 'applications' | 'services' | 'data_pools',
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
