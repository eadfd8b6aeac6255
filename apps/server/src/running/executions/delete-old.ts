import { setTimeout as pause } from 'node:timers/promises';
import type { Platform } from '../../foundation/platform.ts';
import { isAmong, removeOrphans } from '../../foundation/storage/index.ts';
import { idsOf } from './filter.ts';
import { releaseContent } from './release-content.ts';
import { endedBefore, isAlone, lockBatch } from './retention.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes executions that ended too long ago, oldest first, with everything that they left. The transactions are small,
 * with pauses between them. It ends when another process does the same. Returns the number of deleted executions.
 */
export async function deleteOldOnce(platform: Platform, signal?: AbortSignal): Promise<number> {
  const { executionKeepDays } = platform.configuration;
  if (executionKeepDays === null) return 0;
  const before = platform.now() - executionKeepDays * DAY_MS;
  let deleted = 0;
  let after: string | undefined = '';
  while (after !== undefined) {
    if (signal?.aborted) break;
    const began = performance.now();
    const batch: Deleted | null = await deleteSome(platform, before, after);
    if (batch === null) break;
    deleted += batch.count;
    after = batch.last;
    // Others get as much of the database as this.
    await pause(performance.now() - began);
  }
  return deleted;
}

interface Deleted {
  readonly count: number;
  /** Id of the last one; undefined if there are no more. */
  readonly last: string | undefined;
}

/** Null when another process deletes at the moment. */
async function deleteSome(platform: Platform, before: number, after: string): Promise<Deleted | null> {
  const { database, now } = platform;
  // Ids are in the order of creation, and an execution ends after its creation.
  const { end } = idsOf({ to: before });
  const unused = await database.write(async (transaction) => {
    if (!(await isAlone(transaction))) return null;
    const old = endedBefore(transaction, before).where('id', '>', after).where('id', '<', end);
    const rows = await lockBatch(transaction, old.orderBy('id'));
    const blobs = await releaseContent(transaction, rows, now());
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0)
      await transaction
        .deleteFrom('executions')
        .where(isAmong(transaction, 'id', ids))
        .execute();
    return { blobs, ids };
  });
  if (unused === null) return null;
  await removeOrphans(database, platform.blobs, unused.blobs);
  return { count: unused.ids.length, last: unused.ids.at(-1) };
}
