import type { Catalog } from '../../people/deletions/index.ts';

/**
 * The shares with users, for the deletion of their accounts. They never block the deletion, and end with the account.
 */
export const sharingCatalog: Catalog = {
  ownedBy: () => Promise.resolve([]),
  async forget(transaction, userId) {
    await transaction.deleteFrom('shares').where('user_id', '=', userId).execute();
  },
};
