import { deleteIdempotencyRecords } from '../../foundation/http/index.ts';
import { ownedIn, type Catalog } from '../../people/deletions/index.ts';

/** The scope of the idempotency records of an owner's applications. */
export function applicationAnswersOf(owner: { type: string; id: string }): string {
  return `applications of ${owner.type} ${owner.id}`;
}

/** The applications of users, for the deletion of their accounts. */
export const applicationCatalog: Catalog = {
  ownedBy: (transaction, userId, most) =>
    ownedIn(transaction, 'applications', { kind: 'application', address: '/applications' }, userId, most),
  forget: (transaction, id) => deleteIdempotencyRecords(transaction, applicationAnswersOf({ type: 'USER', id })),
};
