import type { Catalog } from '../../people/deletions/index.ts';

/** A share is no possession: what is shared with an account goes with it. */
export const sharingCatalog: Catalog = {
  ownedBy: () => Promise.resolve([]),
  async forget(transaction, userId) {
    await transaction.deleteFrom('shares').where('user_id', '=', userId).execute();
  },
};
