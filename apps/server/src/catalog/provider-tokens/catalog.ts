import type { Catalog } from '../../people/deletions/index.ts';
import { deleteTokensOf } from './queries.ts';

/** Credentials end with their owner: nobody else can use them, and nothing has to be done about them first. */
export const providerTokenCatalog: Catalog = {
  ownedBy: () => Promise.resolve([]),
  forget: (transaction, id) => deleteTokensOf(transaction, { type: 'USER', id }),
};
