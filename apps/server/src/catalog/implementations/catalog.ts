import { deleteIdempotencyRecords } from '../../foundation/http/index.ts';
import { ownedIn, type Catalog } from '../../people/deletions/index.ts';

/** The scope of the idempotency records of an owner's implementations. */
export function implementationAnswersOf(owner: { type: string; id: string }): string {
  return `implementations of ${owner.type} ${owner.id}`;
}

/**
 * The implementations of users, for the deletion of their accounts. Their memberships in other implementations end with
 * the account.
 */
export const implementationCatalog: Catalog = {
  ownedBy: (transaction, userId, most) =>
    ownedIn(transaction, 'implementations', { kind: 'implementation', address: '/implementations' }, userId, most),
  async forget(transaction, userId) {
    await transaction
      .deleteFrom('implementation_members')
      .where('member_type', '=', 'USER')
      .where('member_id', '=', userId)
      .execute();
    await deleteIdempotencyRecords(transaction, implementationAnswersOf({ type: 'USER', id: userId }));
  },
};
