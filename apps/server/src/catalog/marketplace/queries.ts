import type { Category } from '@kethub/contract';
import { sql, type RawBuilder } from 'kysely';
import { likeContaining, type Database, type ListingRow, type Queries } from '../../foundation/storage/index.ts';
import { indexListings, listingsWithShort } from './listing-search.ts';

/** The SQL of listings. */

const INDEXED = ['number', 'search_text', 'provider_text'] as const;

/** Finds the listing of a service. FOR_CHANGE and FOR_SUBSCRIPTION lock it until the end of the transaction. */
export function findListing(
  { dialect }: Pick<Database, 'dialect'>,
  queries: Queries,
  serviceId: string,
  how: 'TO_READ' | 'FOR_CHANGE' | 'FOR_SUBSCRIPTION' = 'TO_READ',
) {
  const query = queries.selectFrom('listings').selectAll().where('service_id', '=', serviceId);
  // SQLite has one writer, so its transactions need no lock.
  if (dialect === 'sqlite' || how === 'TO_READ') return query.executeTakeFirst();
  return (how === 'FOR_CHANGE' ? query.forUpdate() : query.forShare()).executeTakeFirst();
}

export async function insertListing(transaction: Queries, row: Omit<ListingRow, 'number'>): Promise<void> {
  const inserted = await transaction.insertInto('listings').values(row).returning(INDEXED).execute();
  await indexListings(transaction, inserted);
}

export async function updateListing(
  transaction: Queries,
  { id, service_id: _same, created_at: _first, ...values }: Omit<ListingRow, 'number'>,
): Promise<void> {
  const updated = await transaction
    .updateTable('listings')
    .set(values)
    .where('id', '=', id)
    .returning(INDEXED)
    .execute();
  await indexListings(transaction, updated);
}

/** Puts a listing into these categories and no others. */
export async function categorize(
  transaction: Queries,
  listing_id: string,
  categories: readonly Category[],
): Promise<void> {
  await transaction.deleteFrom('listing_categories').where('listing_id', '=', listing_id).execute();
  if (categories.length === 0) return;
  await transaction
    .insertInto('listing_categories')
    .values(categories.map((category) => ({ category, listing_id })))
    .execute();
}

/** Deletes the listing of a service. Returns whether there was one. */
export async function deleteListing(transaction: Queries, serviceId: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('listings')
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Listings of versions whose retirement is not announced, each with its service and version. */
function offers(queries: Queries) {
  return queries
    .selectFrom('listings')
    .innerJoin('services', 'services.id', 'listings.service_id')
    .innerJoin('service_versions', 'service_versions.id', 'listings.service_version_id')
    .where('service_versions.state', '=', 'PUBLISHED')
    .where('service_versions.sunset_at', 'is', null)
    .select([
      'listings.id',
      'listings.service_id',
      'listings.title',
      'listings.summary',
      'listings.categories',
      'listings.pricing_plans',
      'listings.created_at',
      'service_versions.version',
      'services.owner_type',
      'services.owner_id',
      'listings.provider_name',
    ]);
}
export type Offered = Awaited<ReturnType<typeof findOffered>>[number];

interface Wanted {
  /** Case-folded text; null for all. */
  readonly text: string | null;
  readonly category: Category | null;
}

/** Offers in which title, summary or the provider's name holds the text, newest first, after (older than) `cursor`. */
export async function findOffered(
  database: Database,
  { text, category }: Wanted,
  cursor: string | null,
  limit: number,
) {
  const { read } = database;
  let query = offers(read).orderBy('listings.id', 'desc').limit(limit);
  if (cursor !== null) query = query.where('listings.id', '<', cursor);
  if (category !== null)
    query = query.where('listings.id', 'in', (inside) =>
      inside.selectFrom('listing_categories').select('listing_id').where('category', '=', category),
    );
  if (text !== null)
    query = query.where(database.dialect === 'sqlite' ? await containsOnSqlite(read, text) : containsOnPostgres(text));
  return query.execute();
}

/** Characters of a trigram. The index cannot find a shorter text. */
const TRIGRAM = 3;
/** Hits up to which the index is used. A text in more listings is found soon by a scan from the newest. */
const RARE = 1_000;

/**
 * The condition on SQLite, which uses its full-text index only by name and would read all hits. Measured with 100,000
 * listings. A text in all of them takes 1,400 ms through the index and 1 ms without. A text in none takes 1 ms and 400
 * ms.
 */
async function containsOnSqlite(read: Queries, text: string): Promise<RawBuilder<boolean>> {
  const contains = sql<boolean>`(instr(search_text, ${text}) > 0 or instr(provider_text, ${text}) > 0)`;
  if (Array.from(text).length < TRIGRAM) return sql<boolean>`${await listingsWithShort(read, text)} and ${contains}`;
  const phrase = `"${text.replaceAll('"', '""')}"`;
  const indexed = sql`select rowid from listing_index where listing_index match ${phrase}`;
  const { rows } = await sql`select 1 from (${indexed} limit ${RARE + 1})`.execute(read);
  return rows.length > RARE ? contains : sql<boolean>`${contains} and listings.number in (${indexed})`;
}

/** The condition on PostgreSQL, which uses its trigram index for `like`. */
function containsOnPostgres(text: string): RawBuilder<boolean> {
  const pattern = likeContaining(text);
  return sql<boolean>`(search_text like ${pattern} or provider_text like ${pattern})`;
}

/** Finds the offer of a service; undefined when it is not in the marketplace. */
export function findOffer(queries: Queries, serviceId: string) {
  return offers(queries)
    .select([
      'services.type',
      'services.slug',
      'services.description',
      'listings.documentation',
      'listings.service_version_id',
      'service_versions.parameters',
      'service_versions.configuration',
    ])
    .where('listings.service_id', '=', serviceId)
    .executeTakeFirst();
}
