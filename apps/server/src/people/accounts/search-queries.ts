import { sql, type RawBuilder } from 'kysely';
import { isAmong, type Database } from '../../foundation/storage/index.ts';
import { gramsToLookFor, readEntries, tokenOf, type SearchEntry } from '../search/index.ts';

/** Blocks to scan before the index is used. The scan finds names that match at least one user in 400. */
const WALKED = 256;
/** Blocks of a page. Each has at least one match, so that a page has as many matches as a search shows. */
const RETURNED = 20;

/** A search in the blocks. Every candidate from the index is checked for the whole text. */
interface Page {
  readonly needle: string;
  /** Position after which the page begins; null for the first block. */
  readonly after: number | null;
  readonly limit: number;
}

/**
 * The entries of the blocks that contain `needle`, in order, some blocks at a time. The first blocks are scanned as
 * long as many contain it; then the index is used. search-blocks.ts has the reasons.
 */
export async function* findInBlocks(database: Database, needle: string): AsyncGenerator<readonly SearchEntry[]> {
  let after: number | null = null;
  for (;;) {
    const page: Page = { needle, after, limit: RETURNED };
    const blocks = await walk(database, page);
    yield entriesOf(blocks);
    if (blocks.length < RETURNED) break;
    after = blocks.at(-1)?.position ?? null;
  }
  const walkedTo = await positionAfter(database, after, WALKED);
  if (walkedTo === null) return;
  after = walkedTo;
  for (let limit = RETURNED; ; limit *= 4) {
    const blocks = await findThroughIndex(database, { needle, after, limit });
    yield entriesOf(blocks);
    if (blocks.length < limit) return;
    after = blocks.at(-1)?.position ?? after;
  }
}

/** The users of these marks; a user who was removed meanwhile is missing. */
export async function findUsersOfMarks({ read }: Database, marks: readonly string[]): Promise<Map<string, string>> {
  const rows = await read
    .selectFrom('user_search')
    .select(['mark', 'user_id'])
    .where(isAmong(read, 'mark', marks))
    .execute();
  return new Map(rows.map(({ mark, user_id }) => [mark, user_id]));
}

/** A block; `entries` is null if it does not contain the needle. */
interface Block {
  readonly position: number;
  readonly entries: string | null;
}

async function walk({ read, dialect }: Database, { needle, after, limit }: Page): Promise<Block[]> {
  const { rows } = await sql<Block>`
    select position, entries from (
      select position, entries from user_search_blocks where position > ${after ?? -1}
      order by position limit ${sql.lit(WALKED)}) walked
    where ${contains(dialect, needle)} order by position limit ${limit}`.execute(read);
  return rows;
}

/** The position of the last of the `count` blocks after `after`, or null if there are fewer. */
async function positionAfter({ read }: Database, after: number | null, count: number): Promise<number | null> {
  const { rows } = await sql<{ position: number }>`
    select position from user_search_blocks where position > ${after ?? -1}
    order by position limit 1 offset ${count - 1}`.execute(read);
  return rows[0]?.position ?? null;
}

/**
 * The first blocks that have all grams of the needle, by the index. The queries force both databases to begin with the
 * index. Their planners would sometimes scan the blocks in order, which takes longer the rarer the needle is.
 */
async function findThroughIndex({ read, dialect }: Database, { needle, after, limit }: Page): Promise<Block[]> {
  const grams = gramsToLookFor(needle);
  const entries = sql`case when ${contains(dialect, needle)} then entries end as entries`;
  const query =
    dialect === 'sqlite'
      ? sql<Block>`
          select found.position, ${entries} from (
            select rowid as position from user_search_grams
            where user_search_grams match ${grams.map(tokenOf).join(' AND ')} and rowid > ${after}
            order by rowid limit ${limit}) found
          cross join user_search_blocks using (position) order by found.position`
      : sql<Block>`
          with found as materialized (select position from user_search_grams where grams @> ${grams}::integer[]),
          first as materialized (select position from found where position > ${after} order by position limit ${limit})
          select position, ${entries} from first join user_search_blocks using (position) order by position`;
  return (await query.execute(read)).rows;
}

function contains(dialect: Database['dialect'], needle: string): RawBuilder<unknown> {
  return dialect === 'sqlite' ? sql`instr(entries, ${needle}) > 0` : sql`strpos(entries, ${needle}) > 0`;
}

function entriesOf(blocks: readonly Block[]): SearchEntry[] {
  return blocks.flatMap(({ entries }) => (entries === null ? [] : readEntries(entries)));
}
