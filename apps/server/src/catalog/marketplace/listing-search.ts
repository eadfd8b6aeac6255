import { sql, type RawBuilder, type Selectable } from 'kysely';
import { dialectOf, type ListingRow, type Queries } from '../../foundation/storage/index.ts';
import { gramsToLookFor, shortGramsOf } from '../../people/search/index.ts';

/** Listings in a block. Their numbers are consecutive. */
const BLOCK = 64;
/** Blocks that are read by their ranges. A gram in more blocks is found soon by a scan from the newest listing. */
const FEW_BLOCKS = 64;

type IndexedListing = Pick<Selectable<ListingRow>, 'number' | 'search_text' | 'provider_text'>;

/**
 * Adds listings to the index of one and two characters. Grams are never removed from a block, because a search reads
 * the listings of the block in any case.
 */
export async function indexListings(transaction: Queries, listings: readonly IndexedListing[]): Promise<void> {
  if (dialectOf(transaction) === 'postgres') return;
  for (const [block, inside] of Map.groupBy(listings, ({ number }) => Math.floor(number / BLOCK))) {
    const grams = new Set<number>();
    for (const { search_text, provider_text } of inside)
      for (const text of [search_text, provider_text]) for (const gram of shortGramsOf(text)) grams.add(gram);
    await sql`insert or ignore into listing_grams (gram, block)
      select value, ${block} from json_each(${JSON.stringify([...grams])})`.execute(transaction);
  }
}

/**
 * The condition, on SQLite, that selects candidate listings for a text of one or two characters. Without it, a text
 * that is in no listing takes 250 ms with 100,000 listings, and blocks the process for that time.
 */
export async function listingsWithShort(read: Queries, text: string): Promise<RawBuilder<boolean>> {
  const [gram] = gramsToLookFor(text);
  const blocks = sql`select block from listing_grams where gram = ${gram}`;
  const { rows } = await sql<{ block: number }>`${blocks} limit ${FEW_BLOCKS + 1}`.execute(read);
  if (rows.length > FEW_BLOCKS) return sql<boolean>`+listings.number / ${sql.lit(BLOCK)} in (${blocks})`;
  const ranges = rows.map(
    ({ block }) => sql`listings.number between ${block * BLOCK} and ${block * BLOCK + BLOCK - 1}`,
  );
  return rows.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(ranges, sql` or `)})`;
}
