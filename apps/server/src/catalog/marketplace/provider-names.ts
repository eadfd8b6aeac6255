import type { OwnerType, Queries } from '../../foundation/storage/index.ts';
import { indexListings } from './listing-search.ts';
import { foldCase } from '../../people/search/index.ts';

/** Separates the texts of a listing, so that no query matches across two texts. */
const BORDER = '\u001f';

/** The search text of a listing, or of a query: case-folded texts with a separator. */
export function listingTextOf(...texts: readonly string[]): string {
  return texts.map((text) => foldCase(text.replaceAll(BORDER, ' ')).toWellFormed()).join(BORDER);
}

/** Changes the provider name of all listings of an owner, and their search texts. */
export async function nameProvider(
  transaction: Queries,
  owner: { readonly type: OwnerType; readonly id: string },
  name: string,
): Promise<void> {
  const renamed = await transaction
    .updateTable('listings')
    .set({ provider_name: name, provider_text: listingTextOf(name) })
    .where('service_id', 'in', (query) =>
      query
        .selectFrom('services')
        .select('services.id')
        .where('owner_type', '=', owner.type)
        .where('owner_id', '=', owner.id),
    )
    .where('provider_name', '!=', name)
    .returning(['number', 'search_text', 'provider_text'])
    .execute();
  await indexListings(transaction, renamed);
}
