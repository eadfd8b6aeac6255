import { sql } from 'kysely';
import { dialectOf, type Queries } from '../../foundation/storage/index.ts';
import { insertMany } from '../../foundation/storage/index.ts';
import {
  blocksOf,
  compareEntries,
  gramsOf,
  isTooLarge,
  markOf,
  sortKey,
  readEntries,
  writeEntries,
  type SearchEntry,
} from './search-blocks.ts';
import { GAP, positionBehind, type PositionedBlock } from './search-positions.ts';

/**
 * Locks the blocks on PostgreSQL, so that one transaction at a time changes them; SQLite has one writer. To be called
 * before rows of the user are locked, as in the deletion of a user: the other order could deadlock.
 */
export async function lockSearch(transaction: Queries): Promise<void> {
  if (dialectOf(transaction) === 'postgres') await sql`select lock_user_search()`.execute(transaction);
}

/** Sets the search text of a user, in place of an earlier one. The search must be locked. */
export async function putIntoSearch(transaction: Queries, user_id: string, search_text: string): Promise<void> {
  const known = await transaction
    .selectFrom('user_search')
    .select('search_text')
    .where('user_id', '=', user_id)
    .executeTakeFirst();
  if (known?.search_text === search_text) return;
  // A trigger removes the entry from its block.
  if (known) await transaction.deleteFrom('user_search').where('user_id', '=', user_id).execute();
  const entry = { text: search_text, mark: markOf(user_id) };
  const block = await transaction
    .selectFrom('user_search_blocks')
    .select(['number', 'position', 'entries'])
    .where('low', '<=', sortKey(entry))
    .orderBy('low', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  const before = readEntries(block.entries);
  const entries = [...before, entry].toSorted(compareEntries);
  await transaction
    .insertInto('user_search')
    .values({ user_id, mark: entry.mark, search_text, block: block.number })
    .execute();
  if (isTooLarge(entries)) return split(transaction, { ...block, entries });
  await setEntries(transaction, block.number, entries);
  const indexed = gramsOf(before);
  if ([...gramsOf([entry])].some((gram) => !indexed.has(gram))) {
    await indexBlocks(transaction, [{ position: block.position, entries }]);
  }
}

async function split(transaction: Queries, { number, position, entries }: Block): Promise<void> {
  const middle = entries.length >> 1;
  const [lower, upper] = [entries.slice(0, middle), entries.slice(middle)];
  await setEntries(transaction, number, lower);
  const between = await positionBehind(transaction, position, indexBlocks);
  const added = await transaction
    .insertInto('user_search_blocks')
    .values({ position: between, low: lowestOf(upper), entries: writeEntries(upper) })
    .returning('number')
    .executeTakeFirstOrThrow();
  const marks = upper.map(({ mark }) => mark);
  await transaction.updateTable('user_search').set({ block: added.number }).where('mark', 'in', marks).execute();
  await indexBlocks(transaction, [
    { position, entries: lower },
    { position: between, entries: upper },
  ]);
}

async function setEntries(transaction: Queries, number: number, entries: readonly SearchEntry[]): Promise<void> {
  await transaction
    .updateTable('user_search_blocks')
    .set({ entries: writeEntries(entries) })
    .where('number', '=', number)
    .execute();
}

interface Block extends PositionedBlock {
  readonly number: number;
}

/** Fills the empty tables of the search. The rows of the users must exist. */
export async function fillSearch(
  transaction: Queries,
  users: Iterable<{ readonly id: string; readonly search_text: string }>,
): Promise<void> {
  const ids = new Map<string, string>();
  const entries: SearchEntry[] = [];
  for (const { id, search_text } of users) {
    const mark = markOf(id);
    ids.set(mark, id);
    entries.push({ text: search_text, mark });
  }
  const blocks = [...blocksOf(entries.toSorted(compareEntries))].map((block, number) => ({
    number,
    position: number * GAP,
    entries: block,
  }));
  // The first block exists from the start, and its range begins before all texts.
  const [first, ...others] = blocks;
  if (!first) return;
  await setEntries(transaction, first.number, first.entries);
  await insertMany(
    transaction,
    'user_search_blocks',
    ['number', 'position', 'low', 'entries'],
    mapped(others, (block) => ({ ...block, low: lowestOf(block.entries), entries: writeEntries(block.entries) })),
  );
  await insertMany(transaction, 'user_search', ['user_id', 'mark', 'search_text', 'block'], rowsOf(blocks, ids));
  if (dialectOf(transaction) === 'postgres')
    await sql`select setval(pg_get_serial_sequence('user_search_blocks', 'number'), ${blocks.length})`.execute(
      transaction,
    );
  await indexBlocks(transaction, blocks);
}

function* rowsOf(blocks: readonly Block[], ids: ReadonlyMap<string, string>): Generator<object> {
  for (const { number, entries } of blocks)
    for (const { text, mark } of entries) yield { user_id: ids.get(mark), mark, search_text: text, block: number };
}

/**
 * Writes the grams of blocks to the index. Earlier ones at their positions, and at positions in `left`, are removed.
 */
async function indexBlocks(
  transaction: Queries,
  blocks: readonly PositionedBlock[],
  left: readonly number[] = [],
): Promise<void> {
  const isSqlite = dialectOf(transaction) === 'sqlite';
  const positions = JSON.stringify([...left, ...blocks.map(({ position }) => position)]);
  await (
    isSqlite
      ? sql`delete from user_search_grams where rowid in (select value from json_each(${positions}))`
      : sql`delete from user_search_grams where position in (select value::bigint from json_array_elements_text(${positions}::json))`
  ).execute(transaction);
  if (isSqlite) {
    const rows = mapped(blocks, ({ position, entries }) => ({
      rowid: position,
      grams: Array.from(gramsOf(entries), tokenOf).join(' '),
    }));
    await insertMany(transaction, 'user_search_grams', ['rowid', 'grams'], rows);
  } else {
    const rows = mapped(blocks, ({ position, entries }) => ({ position, grams: [...gramsOf(entries)] }));
    await insertMany(transaction, 'user_search_grams', ['position', 'grams'], rows);
  }
}

function lowestOf([lowest]: readonly SearchEntry[]): string {
  if (!lowest) throw new Error('A block that is split or filled is not empty');
  return sortKey(lowest);
}

/** A gram as a word of SQLite's full-text index. */
export function tokenOf(gram: number): string {
  return (gram >>> 0).toString(36);
}

function* mapped<A, B>(all: Iterable<A>, change: (one: A) => B): Generator<B> {
  for (const one of all) yield change(one);
}
