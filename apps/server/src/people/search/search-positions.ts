import type { Queries } from '../../foundation/storage/index.ts';
import { readEntries, type SearchEntry } from './search-blocks.ts';

/**
 * A block with its position, to which the index of grams points. Positions are in the order of the blocks. So the
 * index returns the first blocks first, and a search for twenty users skips the others. A new block gets the middle
 * of a gap. If no gap is left, the following blocks are moved apart. This is order maintenance (Bender et al., "Two
 * Simplified Algorithms for Maintaining Order in a List", 2002).
 */
export interface PositionedBlock {
  readonly position: number;
  readonly entries: readonly SearchEntry[];
}

/** Initial distance of neighbours, which allows 8 million blocks below 2^53. */
export const GAP = 2 ** 30;
/** Least number of blocks that are moved apart at a time. */
const MOVED = 32;
/** Least distance of moved blocks; more blocks are moved until they have it. */
const LEAST_GAP = 2 ** 10;

type IndexBlocks = (transaction: Queries, blocks: readonly PositionedBlock[], left: readonly number[]) => Promise<void>;

/** A free position between the block at `position` and the next one. */
export async function positionBehind(
  transaction: Queries,
  position: number,
  indexBlocks: IndexBlocks,
): Promise<number> {
  const next = await firstBehind(transaction, position);
  if (next - position < 2) {
    await moveApart(transaction, position, indexBlocks);
    return positionBehind(transaction, position, indexBlocks);
  }
  return position + Math.floor((next - position) / 2);
}

async function firstBehind(transaction: Queries, position: number): Promise<number> {
  const next = await transaction
    .selectFrom('user_search_blocks')
    .select('position')
    .where('position', '>', position)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
  return next?.position ?? position + 2 * GAP;
}

/** Spreads the next blocks evenly, as many as are needed for gaps of LEAST_GAP. */
async function moveApart(transaction: Queries, position: number, indexBlocks: IndexBlocks): Promise<void> {
  for (let count = MOVED; ; count *= 2) {
    const behind = await transaction
      .selectFrom('user_search_blocks')
      .select(['number', 'position', 'entries'])
      .where('position', '>', position)
      .orderBy('position')
      .limit(count)
      .execute();
    const end = await firstBehind(transaction, behind.at(-1)?.position ?? position);
    const gap = Math.floor((end - position) / (behind.length + 1));
    // This ends, because there is always room after the last block.
    if (gap < LEAST_GAP) continue;
    const moved = behind.map((block, index) => ({ ...block, position: position + (index + 1) * gap }));
    for (const { number, position: to } of moved)
      await transaction.updateTable('user_search_blocks').set({ position: to }).where('number', '=', number).execute();
    const left = behind.map((block) => block.position);
    return indexBlocks(transaction, moved.map(({ position: at, entries }) => ({ position: at, entries: readEntries(entries) })), left); // prettier-ignore
  }
}
