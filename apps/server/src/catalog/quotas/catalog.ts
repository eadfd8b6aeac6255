import type { Catalog } from '../../people/deletions/index.ts';

/**
 * Deletes counters, retention rules and quota with the account. It comes last: every deletion before it changes
 * counters.
 */
export const storageCatalog: Catalog = {
  ownedBy: () => Promise.resolve([]),
  async forget(transaction, userId) {
    for (const table of ['storage_use', 'retention_rules', 'storage_quotas'] as const)
      await transaction.deleteFrom(table).where('owner_type', '=', 'USER').where('owner_id', '=', userId).execute();
  },
};
