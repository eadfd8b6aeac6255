import type { Catalog } from '../../people/deletions/index.ts';
import { deleteTokensOf } from './queries.ts';

/**
 * The credentials of users, for the deletion of their accounts. They end with their owner and never block the deletion.
 */
export const providerTokenCatalog: Catalog = {
  ownedBy: () => Promise.resolve([]),
  forget: (transaction, id) => deleteTokensOf(transaction, { type: 'USER', id }),
};
