import { sql, type RawBuilder } from 'kysely';
import {
  gramsToLookFor,
  isAmong,
  readEntries,
  tokenOf,
  type Database,
  type SearchEntry,
  type UserSearchBlockRow,
} from '../storage/index.ts';

/** Through so many blocks it goes before it asks the index: whoever is one in 400 users is found on the way. */
const WALKED = 256;
/** Every block that is returned has one user at least, so that as many as are shown are enough. */
const RETURNED = 20;

/** What to find in the blocks: a text, of which all that comes from the index is checked. */
interface Page {
  readonly needle: string;
  /** Only blocks behind this one, by their lowest place; null begins with the first. */
  readonly after: string | null;
  readonly limit: number;
}

/**
 * The entries of the blocks that hold `needle`, in their order, some blocks at a time: from the first blocks as long as
 * these are full of it, then through the index. See search-blocks.ts for why.
 */
export async function* findInBlocks(database: Database, needle: string): AsyncGenerator<readonly SearchEntry[]> {
  let after: string | null = null;
  for (;;) {
    const page: Page = { needle, after, limit: RETURNED };
    const blocks = await walk(database, page);
    yield entriesOf(blocks);
    if (blocks.length < RETURNED) break;
    after = blocks.at(-1)?.low ?? null;
  }
  const walkedTo = await lowestAfter(database, after, WALKED);
  if (walkedTo === null) return;
  after = walkedTo;
  for (let limit = RETURNED; ; limit *= 4) {
    const blocks = await findThroughIndex(database, { needle, after, limit });
    yield entriesOf(blocks);
    if (blocks.length < limit) return;
    after = blocks.at(-1)?.low ?? after;
  }
}

/** Whose marks these are; one who was removed meanwhile is missing. */
export async function findUsersOfMarks({ read }: Database, marks: readonly string[]): Promise<Map<string, string>> {
  const rows = await read
    .selectFrom('user_search')
    .select(['mark', 'user_id'])
    .where(isAmong(read, 'mark', marks))
    .execute();
  return new Map(rows.map(({ mark, user_id }) => [mark, user_id]));
}

type Block = Pick<UserSearchBlockRow, 'low' | 'entries'>;

async function walk({ read, dialect }: Database, { needle, after, limit }: Page): Promise<Block[]> {
  const { rows } = await sql<Block>`
    select low, entries from (
      select low, entries from user_search_blocks ${behind('where', after)} order by low limit ${sql.lit(WALKED)}) walked
    where ${holds(dialect, needle)} order by low limit ${limit}`.execute(read);
  return rows;
}

/** The lowest place of the last of the `count` blocks behind `after`, or null when there are not so many. */
async function lowestAfter({ read }: Database, after: string | null, count: number): Promise<string | null> {
  const { rows } = await sql<{ low: string }>`
    select low from user_search_blocks ${behind('where', after)} order by low limit 1 offset ${count - 1}`.execute(
    read,
  );
  return rows[0]?.low ?? null;
}

/**
 * Both databases are made to go from the index to the blocks, and from all that are found to the first: their planners
 * would now and then rather go through the blocks in order, which takes the longer the rarer the text is. (On PostgreSQL
 * `offset 0` keeps what is inside from being evaluated for more blocks than the index has found.)
 */
async function findThroughIndex({ read, dialect }: Database, { needle, after, limit }: Page): Promise<Block[]> {
  const grams = gramsToLookFor(needle);
  const query =
    dialect === 'sqlite'
      ? sql<Block>`
          select low, entries from user_search_blocks
          where number in (
            select rowid from user_search_grams where user_search_grams match ${grams.map(tokenOf).join(' AND ')})
          ${behind('and +', after)} and ${holds(dialect, needle)} order by +low limit ${limit}`
      : sql<Block>`
          with indexed as materialized (select block from user_search_grams where grams @> ${grams}::integer[]),
          found as materialized (
            select number, low from indexed cross join lateral (
              select number, low, ${holds(dialect, needle)} as holds from user_search_blocks
              where number = block offset 0) one
            where holds ${behind('and', after)}),
          lowest as materialized (select number from found order by low limit ${limit})
          select low, entries from lowest join user_search_blocks using (number) order by low`;
  return (await query.execute(read)).rows;
}

function behind(word: 'where' | 'and' | 'and +', after: string | null): RawBuilder<unknown> {
  return after === null ? sql`` : sql`${sql.raw(word)} low > ${after}`;
}

function holds(dialect: Database['dialect'], needle: string): RawBuilder<unknown> {
  return dialect === 'sqlite' ? sql`instr(entries, ${needle}) > 0` : sql`strpos(entries, ${needle}) > 0`;
}

function entriesOf(blocks: readonly Block[]): SearchEntry[] {
  return blocks.flatMap(({ entries }) => readEntries(entries));
}
