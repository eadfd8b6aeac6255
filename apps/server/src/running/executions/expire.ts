import { setTimeout as pause } from 'node:timers/promises';
import type { Platform } from '../../foundation/platform.ts';
import { shortestTimes, type KeptFor } from '../../catalog/quotas/index.ts';
import { isAmong, removeOrphans, type Queries } from '../../foundation/storage/index.ts';
import { deleteOldOnce } from './delete-old.ts';
import { releaseContent } from './release-content.ts';
import { endedBefore, isAlone, lockBatch } from './retention.ts';

/** Milliseconds between two rounds. */
const EVERY_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes expired results, result files and logs, now and every hour; for workflows also the instance and the journal.
 * The rows stay, with status, times, cause and record, until they are too old as well. Returns a function that ends this.
 */
export function expireResults(platform: Platform): () => Promise<void> {
  const stopped = new AbortController();
  const sweep = async (): Promise<void> => {
    try {
      const expired = await expireOnce(platform, stopped.signal);
      if (expired > 0) platform.log.info({ executions: expired }, 'deleted expired results');
      const deleted = await deleteOldOnce(platform, stopped.signal);
      if (deleted > 0) platform.log.info({ executions: deleted }, 'deleted old executions');
    } catch (error) {
      platform.log.warn({ err: error }, 'could not delete expired results; the next round tries again');
    }
  };
  let round = sweep();
  const timer = setInterval(() => {
    round = round.then(sweep);
  }, EVERY_MS).unref();
  return async () => {
    stopped.abort();
    clearInterval(timer);
    await round;
  };
}

/**
 * One round over all owners, in small transactions with pauses between them. It ends when another process does the same.
 * Returns the number of executions whose content was deleted.
 */
export async function expireOnce(platform: Platform, signal?: AbortSignal): Promise<number> {
  let expired = 0;
  for await (const kept of shortestTimes(platform)) {
    for (;;) {
      if (signal?.aborted) return expired;
      const began = performance.now();
      const count = await expireSome(platform, kept);
      if (count === null) return expired;
      if (count === 0) break;
      expired += count;
      // Others get as much of the database as this.
      await pause(performance.now() - began);
    }
  }
  return expired;
}

async function expireSome(platform: Platform, { owner, serviceId, keepDays }: KeptFor): Promise<number | null> {
  const { database, now } = platform;
  const before = now() - keepDays * DAY_MS;
  const find = (queries: Queries) => {
    const query = ended(queries, before).where('owner_type', '=', owner.type).where('owner_id', '=', owner.id);
    return serviceId === null ? query : query.where('service_id', '=', serviceId);
  };
  // Most owners have nothing that has expired: this finds it without a transaction.
  if (!(await find(database.read).select('executions.id').limit(1).executeTakeFirst())) return 0;
  const { unused, count } = await database.write(async (transaction) => {
    if (!(await isAlone(transaction))) return { unused: [], count: null };
    const rows = await lockBatch(transaction, find(transaction).orderBy('ended_at'));
    const ids = rows.map(({ id }) => id);
    const blobs = await releaseContent(transaction, rows, now());
    const nothing = { input: null, input_blob: null, result: null, result_blob: null, log: '', log_blob: null };
    const sizes = { result_bytes: null, log_bytes: null, file_bytes: null, expired_at: now() };
    await transaction
      .updateTable('executions')
      .set({ ...nothing, ...sizes })
      .where(isAmong(transaction, 'id', ids))
      .execute();
    await transaction
      .deleteFrom('workflow_instances')
      .where(isAmong(transaction, 'execution_id', ids))
      .execute();
    return { unused: blobs, count: rows.length };
  });
  await removeOrphans(database, platform.blobs, unused);
  return count;
}

/** Executions that ended before a time, and whose content was not deleted yet. */
function ended(queries: Queries, before: number) {
  return endedBefore(queries, before).where('ended_at', 'is not', null).where('expired_at', 'is', null);
}
