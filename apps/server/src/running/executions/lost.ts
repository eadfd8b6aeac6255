import { keepLog, readCopies, removeCopies, type StoredLog } from '../../foundation/logs/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { putOrphan, removeOrphans, claimBlob } from '../../foundation/storage/index.ts';
import { dropInput } from './input-blob.ts';
import { keepLateLog, move } from './queries.ts';
import { executionChanged } from './watch.ts';

const lostCause = {
  type: 'about:blank',
  title: 'Worker lost',
  detail:
    'The machine that ran the execution went away. Whether the code finished cannot be known; it is not run again.',
};

/**
 * Ends the executions of a lost worker as UNKNOWN, with the part of the log that had been copied for readers. A worker
 * that comes back after all finds these ends and ends the processes.
 */
export async function giveUpExecutions(platform: Platform, workerId: string): Promise<void> {
  const { database, now, log } = platform;
  // No index serves this rare query; it takes a second among a million rows.
  const left = await database.read
    .selectFrom('executions')
    .select(['id', 'status'])
    .where('worker_id', '=', workerId)
    .where('log', 'is', null)
    .where('log_blob', 'is', null)
    .execute();
  for (const { id } of left) {
    const kept = await keepCopies(platform, id);
    const values = { ...kept, cause: JSON.stringify(lostCause), ended_at: now(), sealed_secrets: null };
    const unused = kept.log_blob === null ? [] : [kept.log_blob];
    await database.write(async (transaction) => {
      await removeCopies(transaction, id);
      const input = await dropInput(transaction, id, now());
      if (input !== null) unused.push(input);
      const isKept = (await move(transaction, id, 'LOST', values)) || (await keepLateLog(transaction, id, kept));
      if (isKept && kept.log_blob !== null) await claimBlob(transaction, kept.log_blob);
    });
    await removeOrphans(database, platform.blobs, unused);
    executionChanged(database, id);
  }
  if (left.length > 0) log.error({ worker: workerId, executions: left.length }, 'executions ended as UNKNOWN');
}

async function keepCopies(platform: Platform, id: string): Promise<StoredLog> {
  const parts: Buffer[] = [];
  for (let position = 0; ;) {
    const bytes = await readCopies(platform.database, id, position);
    if (bytes.length === 0) return keepLog(Buffer.concat(parts), (log) => putOrphan(platform, log));
    parts.push(bytes);
    position += bytes.length;
  }
}
