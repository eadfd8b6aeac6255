import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import { indexListings } from '../listing-search.ts';
import type { Tables } from '../schema.ts';

/**
 * On SQLite, whose full-text index knows nothing of less than three characters: which blocks of listings hold which one and
 * two. PostgreSQL reads all listings for these, in a process of its own.
 */
export async function up(db: Kysely<Tables>): Promise<void> {
  if (dialectOf(db) === 'postgres') return;
  await sql`create table listing_grams (
    gram integer not null, block integer not null, primary key (gram, block)) without rowid`.execute(db);
  await indexListings(db, await db.selectFrom('listings').select(['number', 'search_text', 'provider_text']).execute());
}
