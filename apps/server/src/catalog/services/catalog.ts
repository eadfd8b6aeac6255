import { deleteIdempotencyRecords } from '../../foundation/http/index.ts';
import { ownedIn, type Catalog } from '../../people/deletions/index.ts';

/** The scope of the idempotency records of an owner's services. */
export function serviceAnswersOf(owner: { type: string; id: string }): string {
  return `services of ${owner.type} ${owner.id}`;
}

/** The services of users, for the deletion of their accounts. */
export const serviceCatalog: Catalog = {
  ownedBy: (transaction, userId, most) =>
    ownedIn(transaction, 'services', { kind: 'service', address: '/services' }, userId, most),
  async forget(transaction, id) {
    await deleteIdempotencyRecords(transaction, serviceAnswersOf({ type: 'USER', id }));
    await transaction.deleteFrom('build_queues').where('owner_id', '=', id).execute();
  },
};
