import { deleteIdempotencyRecords } from '../../foundation/http/index.ts';
import { ownedIn, type Catalog } from '../../people/deletions/index.ts';

/** The scope of the idempotency records of an owner's data pools. */
export function dataPoolAnswersOf(owner: { type: string; id: string }): string {
  return `data pools of ${owner.type} ${owner.id}`;
}

/**
 * The data pools of users, for the deletion of their accounts. Their memberships in other pools end with the account.
 */
export const dataPoolCatalog: Catalog = {
  ownedBy: (transaction, userId, most) =>
    ownedIn(transaction, 'data_pools', { kind: 'data pool', address: '/data-pools' }, userId, most),
  async forget(transaction, userId) {
    await transaction
      .deleteFrom('data_pool_members')
      .where('member_type', '=', 'USER')
      .where('member_id', '=', userId)
      .execute();
    await deleteIdempotencyRecords(transaction, dataPoolAnswersOf({ type: 'USER', id: userId }));
  },
};
