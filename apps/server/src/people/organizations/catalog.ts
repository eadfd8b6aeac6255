import { deleteIdempotencyRecords } from '../../foundation/http/index.ts';
import type { Catalog } from '../deletions/index.ts';
import { lockOwnedOrganizations, organizationsOwnedAlone } from './memberships.ts';

/** The scope of idempotency records of created organizations. */
export function organizationAnswersOf(userId: string): string {
  return `organizations of ${userId}`;
}

/** The organizations of which this user is the only owner. */
export const organizationCatalog: Catalog = {
  async ownedBy(transaction, userId, most) {
    await lockOwnedOrganizations(transaction, userId);
    const rows = await organizationsOwnedAlone(transaction, userId, most);
    return rows.map(({ id, name }) => ({
      what: `organization "${name}"`,
      remedy: `make another member OWNER, or DELETE /organizations/${id}`,
    }));
  },
  async forget(transaction, userId) {
    await transaction.deleteFrom('memberships').where('user_id', '=', userId).execute();
    await deleteIdempotencyRecords(transaction, organizationAnswersOf(userId));
  },
};
