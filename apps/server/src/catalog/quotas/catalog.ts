import type { Catalog } from '../../people/deletions/index.ts';

/** Deletes counters and choices about storage with the account. It comes last, because every deletion before it changes the counters. */
export const storageCatalog: Catalog = {
  ownedBy: () => Promise.resolve([]),
  async forget(transaction, userId) {
    for (const table of ['storage_use', 'retention_rules', 'storage_quotas'] as const)
      await transaction.deleteFrom(table).where('owner_type', '=', 'USER').where('owner_id', '=', userId).execute();
  },
};
