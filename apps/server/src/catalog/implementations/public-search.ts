import { sql, type RawBuilder } from 'kysely';
import { likeContaining, type Database, type ImplementationRow, type Queries } from '../../foundation/storage/index.ts';

/**
 * The search for public implementations. With 200,000 of them, a text that is in none takes some milliseconds by the
 * trigram indexes, and 200 to 600 ms by a scan. PostgreSQL has no index of one and two characters.
 */

/** Characters of a trigram. The index finds no shorter text. */
const TRIGRAM = 3;
/** Trigrams that begin with a short text and are looked for. A text that begins more is found soon by a scan. */
const MOST_TRIGRAMS = 200;
/** Newest implementations among which PostgreSQL looks first. A frequent text is found there. */
const NEWEST_READ = 1_000;
/** Hits up to which PostgreSQL reads all by its index. A text with more is found soon by a scan. */
const RARE = 1_000;
/** Number above that of every implementation. */
const NEWEST = Number.MAX_SAFE_INTEGER;

/** The public implementations whose name or description contains `text` in any case, newest first. */
export async function publicImplementations(
  { read, dialect }: Pick<Database, 'read' | 'dialect'>,
  text: string,
  cursor: string | null,
  limit: number,
): Promise<ImplementationRow[]> {
  const folded = text.toLowerCase();
  if (folded === '') return publicFrom(read, cursor, limit).execute();
  if (dialect === 'postgres') return searchOnPostgres(read, folded, cursor, limit);
  const short = Array.from(folded).length < TRIGRAM;
  const trigrams = short ? await trigramsThatBegin(read, folded) : [folded];
  if (trigrams.length === 0) return [];
  if (trigrams.length > MOST_TRIGRAMS) return publicFrom(read, cursor, limit).where(contains(folded)).execute();
  const match = trigrams.map((one) => `"${one.replaceAll('"', '""')}"`).join(' OR ');
  // The implementation of the cursor may have been deleted since.
  const end = sql`(select number from implementation_texts where id >= ${cursor} order by id limit 1)`;
  const before = cursor === null ? sql`${NEWEST}` : sql`coalesce(${end}, ${NEWEST})`;
  // The full-text index finds rows in their order, and stops at the limit. A cross join keeps it the outer table.
  const { rows } = await sql<ImplementationRow>`select implementations.* from implementation_index
    cross join implementation_texts on implementation_texts.number = implementation_index.rowid
    cross join implementations on implementations.id = implementation_texts.id
    where implementation_index.text match ${match} and implementation_index.rowid < ${before} and visibility = 'PUBLIC'
    order by implementation_index.rowid desc limit ${limit}`.execute(read);
  return rows;
}

/** The public implementations from the newest, or from the cursor. */
function publicFrom(read: Queries, cursor: string | null, limit: number) {
  const rows = read
    .selectFrom('implementations')
    .selectAll()
    .where('visibility', '=', 'PUBLIC')
    .orderBy('id', 'desc')
    .limit(limit);
  return cursor === null ? rows : rows.where('id', '<', cursor);
}

/** The condition that an implementation contains a text, in the words of the index on PostgreSQL. */
function contains(folded: string): RawBuilder<boolean> {
  const pattern = likeContaining(folded);
  return sql<boolean>`(name || ' ' || lower(description)) like ${pattern} escape ${sql.lit('\\')}`;
}

/**
 * Chooses between index and scan itself, because PostgreSQL cannot tell how frequent a part of a text is. It reads by the
 * index where no order by `id` tempts it to scan.
 */
async function searchOnPostgres(
  read: Queries,
  folded: string,
  cursor: string | null,
  limit: number,
): Promise<ImplementationRow[]> {
  const newest = await read
    .selectFrom(publicFrom(read, cursor, NEWEST_READ).as('implementations'))
    .selectAll()
    .where(contains(folded))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  if (newest.length === limit) return newest;
  const scan = publicFrom(read, cursor, limit).where(contains(folded));
  if (Array.from(folded).length < TRIGRAM) return scan.execute();
  const hits = await read
    .selectFrom('implementations')
    .select('id')
    .where('visibility', '=', 'PUBLIC')
    .where(contains(folded))
    .limit(RARE + 1)
    .execute();
  if (hits.length > RARE) return scan.execute();
  const after = hits.map(({ id }) => id).filter((id) => cursor === null || id < cursor);
  if (after.length === 0) return [];
  return read
    .selectFrom('implementations')
    .selectAll()
    .where('visibility', '=', 'PUBLIC')
    .where('id', 'in', after.toSorted().toReversed().slice(0, limit))
    .orderBy('id', 'desc')
    .execute();
}

/** Finds the trigrams of all texts that begin with one or two characters: one more than are looked for, at most. */
async function trigramsThatBegin(read: Queries, folded: string): Promise<string[]> {
  const end = `${folded}\u{10ffff}`;
  const trigrams: string[] = [];
  for (let from = folded; trigrams.length <= MOST_TRIGRAMS;) {
    const { rows } = await sql<{ term: string }>`select term from implementation_trigrams
      where term >= ${from} and term < ${end} limit 1`.execute(read);
    const [next] = rows;
    if (!next) break;
    trigrams.push(next.term);
    from = `${next.term}\u0001`;
  }
  return trigrams;
}
