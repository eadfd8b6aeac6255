import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { ExecutionEnd, Outcome, Runtime } from '@kethub/runtime';
import { applyWritten, blobsOf, clearPools, judgeWritten } from '../../catalog/datapools/index.ts';
import { recordExecution } from '../../catalog/metering/index.ts';
import { isKept, removeCopies } from '../../foundation/logs/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import {
  blobKeyOf,
  markOrphan,
  removeOrphans,
  type ExecutionFileRow,
  type Queries,
} from '../../foundation/storage/index.ts';
import { requireWorkerId } from '../../foundation/workers/index.ts';
import { dropInput } from './input-blob.ts';
import { lackFor, resultBytes, withoutContent } from './fit.ts';
import { keepResult, NO_RESULT } from './keep-result.ts';
import { keepExecutionLog } from './log.ts';
import { keepLateLog, move } from './queries.ts';
import { hashed, recordOf, type Kept } from './record/index.ts';
import type { ExecutionEvent } from './transition.ts';
import { executionChanged } from './watch.ts';
import { stagePools, withoutPools, type StagedPools } from './written-pools.ts';

const events: Readonly<Record<Outcome, ExecutionEvent>> = {
  SUCCEEDED: 'SUCCEEDED',
  FAILED: 'FAILED',
  CANCELLED: 'CANCELLED',
  LOST: 'LOST',
  NOT_STARTED: 'NOT_STARTED',
};

/**
 * Stores the result, files, log and final status of an execution in one transaction. So the result can be read as soon
 * as the status says so. Only then the runtime forgets the execution. After a crash in between this is repeated with
 * the same blob keys.
 */
export async function finishExecution(
  platform: Platform,
  runtime: Runtime,
  end: ExecutionEnd,
  again = false,
): Promise<void> {
  const id = end.executionId;
  if (end.outcome === 'NOT_STARTED') return giveBack(platform, runtime, id);
  if (!again || !(await isCollected(platform, id))) await collect(platform, runtime, end);
  executionChanged(platform.database, id);
  await clearPools(platform, id);
  await runtime.forget(id);
}

/** Returns whether an earlier attempt has stored everything. The runtime may have forgotten the execution then. */
async function isCollected({ database }: Platform, id: string): Promise<boolean> {
  const row = await database.read
    .selectFrom('executions')
    .select(['log', 'log_blob'])
    .where('id', '=', id)
    .executeTakeFirst();
  return isKept(row);
}

async function collect(platform: Platform, runtime: Runtime, end: ExecutionEnd): Promise<void> {
  // The quota is checked before anything is stored, and again in the transaction: other ends may have used it up
  // meanwhile.
  const before = await lackFor(platform, platform.database.read, end.executionId, resultBytes(end));
  const kept = before === null ? end : withoutContent(end, before);
  const staged = await stagePools(platform, kept);
  const unused =
    typeof staged === 'string'
      ? await keepEnd(platform, runtime, withoutPools(kept, staged), null)
      : await keepEnd(platform, runtime, kept, staged);
  // Blobs that are now in a data pool are no longer marked as orphans, so they stay.
  await removeOrphans(platform.database, platform.blobs, [...unused, ...stagedBlobs(staged)]);
}

function stagedBlobs(staged: StagedPools | string | null): string[] {
  return staged === null || typeof staged === 'string' ? [] : blobsOf(staged.changes);
}

/** Stores the content of an end and writes the end. Returns blobs that nothing refers to. */
async function keepEnd(
  platform: Platform,
  runtime: Runtime,
  end: ExecutionEnd,
  staged: StagedPools | null,
): Promise<string[]> {
  const id = end.executionId;
  const log = await keepExecutionLog(platform, runtime, end);
  const { content, ...result } = end.result ? await keepResult(platform, id, end.result) : NO_RESULT;
  const { files, contents } = await keepFiles(platform, end);
  const stored = [log.log_blob, result.result_blob, ...files.map(({ blob }) => blob)];
  const file_bytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  return platform.database.write(async (transaction) => {
    const now = platform.now();
    // First, because every transaction locks pools before storage.
    const besides = staged && { owner: staged.owner, bytes: resultBytes(end) };
    const judged = staged ? await judgeWritten(platform, transaction, staged.changes, besides) : [];
    const refusal = typeof judged === 'string' ? judged : null;
    const lack = await lackFor(platform, transaction, id, resultBytes(end));
    const whole = refusal === null ? end : withoutPools(end, refusal);
    const last = lack === null ? whole : withoutContent(whole, lack);
    const record =
      lack === null ? recordOf(last, refusal === null ? content : null, contents) : recordOf(last, null, []);
    const cause = last.cause && JSON.stringify(last.cause);
    const kept = lack === null ? { ...(refusal === null && result), file_bytes } : {};
    const values = { ...log, ...kept, record, cause, ended_at: end.endedAt, sealed_secrets: null };
    await removeCopies(transaction, id);
    const input = await dropInput(transaction, id, now);
    const inputs = input === null ? [] : [input];
    if (await move(transaction, id, events[last.outcome], values)) {
      if (lack === null && files.length > 0) await transaction.insertInto('execution_files').values(files).execute();
      if (last.outcome === 'SUCCEEDED') await recordExecution(platform, transaction, end);
      if (lack !== null || typeof judged === 'string')
        return [...inputs, ...(await markUnkept(transaction, id, stored, now))];
      return last.outcome === 'SUCCEEDED'
        ? [...inputs, ...(await applyWritten(platform, transaction, judged))]
        : inputs;
    }
    // It was cancelled while it ran: only its log and record are missing. After LOST nothing is missing.
    await keepLateLog(transaction, id, { ...log, record });
    return [...inputs, ...(await markUnkept(transaction, id, stored, now))];
  });
}

/**
 * Marks stored blobs that nothing refers to as orphans. This runs in the transaction only. After a failure the next
 * attempt uses the same blobs, or the transaction was committed and only its answer was lost.
 */
async function markUnkept(
  transaction: Queries,
  id: string,
  stored: readonly (string | null)[],
  now: number,
): Promise<string[]> {
  const row = await transaction
    .selectFrom('executions')
    .select(['log_blob', 'result_blob'])
    .where('id', '=', id)
    .executeTakeFirst();
  const files = await transaction.selectFrom('execution_files').select('blob').where('execution_id', '=', id).execute();
  const kept = new Set([row?.log_blob, row?.result_blob, ...files.map(({ blob }) => blob)]);
  const unkept = stored.filter((blob) => blob !== null).filter((blob) => !kept.has(blob));
  for (const blob of unkept) await markOrphan(transaction, blob, now);
  return unkept;
}

/**
 * Makes an execution PENDING again whose code has certainly not run. The runtime forgets it first: its next worker
 * needs the id.
 */
async function giveBack(platform: Platform, runtime: Runtime, id: string): Promise<void> {
  await clearPools(platform, id);
  await runtime.forget(id);
  const unclaimed = {
    started_at: null,
    worker_id: null,
    cpus: null,
    memory_bytes: null,
    gpus: null,
    gpu_type: null,
    run_seconds: null,
  };
  // After an answer that was lost it may run on another worker by now.
  const workerId = requireWorkerId(platform);
  await platform.database.write((transaction) => move(transaction, id, 'NOT_STARTED', unclaimed, workerId));
  executionChanged(platform.database, id);
}

async function keepFiles(
  platform: Platform,
  end: ExecutionEnd,
): Promise<{ readonly files: ExecutionFileRow[]; readonly contents: Kept['files'] }> {
  const files: ExecutionFileRow[] = [];
  const contents: { name: string; bytes: number; digest: string }[] = [];
  for (const { name, bytes, path } of end.files) {
    const key = blobKeyOf(end.executionId, `file ${name}`);
    const { stream, digest } = hashed();
    // The stream that fails gives the reason and ends the other one.
    const [blob] = await Promise.all([platform.blobs.put(stream, key), pipeline(createReadStream(path), stream)]);
    files.push({ execution_id: end.executionId, name, bytes, blob });
    contents.push({ name, bytes, digest: digest() });
  }
  return { files, contents };
}
