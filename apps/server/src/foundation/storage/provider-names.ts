import type { Queries } from './dialect.ts';
import type { OwnerType } from './schema.ts';
import { indexListings } from './listing-search.ts';
import { foldCase } from './search-text.ts';

/** Between the texts of a listing, so that no query is found across the border of two. */
const BORDER = '\u001f';

/** Texts of a listing as the search of the marketplace compares them, and what it is asked for. */
export function listingTextOf(...texts: readonly string[]): string {
  return texts.map((text) => foldCase(text.replaceAll(BORDER, ' ')).toWellFormed()).join(BORDER);
}

/** Makes the listings of an owner show this name and be found by it, in the place of the one that the owner had before. */
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

/** The name of a person as a provider. */
export function personName({ firstname, lastname }: { readonly firstname: string; readonly lastname: string }): string {
  return `${firstname} ${lastname}`.trim();
}
