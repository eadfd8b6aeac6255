import type { Catalog } from '../../people/deletions/index.ts';

/** What is counted and chosen about storage goes with the account. Asked last: what is deleted before is counted. */
export const storageCatalog: Catalog = {
  ownedBy: () => Promise.resolve([]),
  async forget(transaction, userId) {
    for (const table of ['storage_use', 'retention_rules', 'storage_quotas'] as const)
      await transaction.deleteFrom(table).where('owner_type', '=', 'USER').where('owner_id', '=', userId).execute();
  },
};
