import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ExecutionEnd, Outcome, ResultFile, Runtime } from '@kethub/runtime';
import { clearPools } from '../datapools/index.ts';
import { recordExecution } from '../metering/index.ts';
import { removeCopies } from '../logs/index.ts';
import type { Platform } from '../platform.ts';
import type { ExecutionFileRow } from '../storage/index.ts';
import { keepExecutionLog } from './log.ts';
import { move } from './queries.ts';
import type { ExecutionEvent } from './transition.ts';
import { executionChanged } from './watch.ts';

/** Result that is kept in the row; a longer one becomes a blob. */
const INLINE_BYTES = 64 * 1024;

const events: Readonly<Record<Outcome, ExecutionEvent>> = {
  SUCCEEDED: 'SUCCEEDED',
  FAILED: 'FAILED',
  CANCELLED: 'CANCELLED',
  LOST: 'LOST',
  NOT_STARTED: 'NOT_STARTED',
};

/**
 * Collects what an execution left: result, files, log and final status in one transaction, so that the result is
 * readable in the same instant as the status. Only then does the runtime forget it; after a crash in between it is
 * simply done again.
 */
export async function finishExecution(platform: Platform, runtime: Runtime, end: ExecutionEnd): Promise<void> {
  if (end.outcome === 'NOT_STARTED') return giveBack(platform, runtime, end.executionId);
  const id = end.executionId;
  const log = await keepExecutionLog(platform, runtime, id);
  const result = end.result ? await keepResult(platform, end.result) : { result: null, result_blob: null };
  const files = await keepFiles(platform, end);
  const blobs = [log.log_blob, result.result_blob, ...files.map(({ blob }) => blob)];
  try {
    const used = await platform.database.write(async (transaction) => {
      const cause = end.cause && JSON.stringify(end.cause);
      const values = { ...log, ...result, cause, ended_at: end.endedAt, sealed_secrets: null, input: null };
      await removeCopies(transaction, id);
      if (await move(transaction, id, events[end.outcome], values)) {
        if (files.length > 0) await transaction.insertInto('execution_files').values(files).execute();
        if (end.outcome === 'SUCCEEDED') await recordExecution(platform, transaction, end);
        return blobs;
      }
      // It was cancelled while it ran: only its log is still missing.
      const { numUpdatedRows } = await transaction
        .updateTable('executions')
        .set(log)
        .where('id', '=', id)
        .where('log', 'is', null)
        .where('log_blob', 'is', null)
        .executeTakeFirst();
      // Given up as lost: not even that.
      return numUpdatedRows === 1n ? [log.log_blob] : [];
    });
    await removeAll(
      platform,
      blobs.filter((blob) => !used.includes(blob)),
    );
  } catch (error) {
    await removeAll(platform, blobs);
    throw error;
  }
  executionChanged(platform.database, id);
  await removeInput(platform, id);
  await clearPools(platform, id);
  await runtime.forget(id);
}

/** The code has certainly not run. Forgotten first: a worker that claims it next must find the id free. */
async function giveBack(platform: Platform, runtime: Runtime, id: string): Promise<void> {
  await clearPools(platform, id);
  await runtime.forget(id);
  await platform.database.write((transaction) =>
    move(transaction, id, 'NOT_STARTED', { started_at: null, worker_id: null }),
  );
  executionChanged(platform.database, id);
}

/** The result as the text of a JSON object without HAL members: a value that is no object goes under the key `result`. */
async function keepResult(
  platform: Platform,
  file: ResultFile,
): Promise<{ result: string | null; result_blob: string | null }> {
  const raw = (await readFile(file.path, 'utf8')).trim();
  const text = file.isObject ? (file.reservedMembers ? withoutReserved(raw) : raw) : `{"result":${raw}}`;
  if (Buffer.byteLength(text) <= INLINE_BYTES) return { result: text, result_blob: null };
  return { result: null, result_blob: await platform.blobs.put(text) };
}

function withoutReserved(text: string): string {
  const value = JSON.parse(text) as Record<string, unknown>;
  delete value['_links'];
  delete value['_embedded'];
  return JSON.stringify(value);
}

async function keepFiles(platform: Platform, end: ExecutionEnd): Promise<ExecutionFileRow[]> {
  const rows: ExecutionFileRow[] = [];
  for (const { name, bytes, path } of end.files) {
    rows.push({ execution_id: end.executionId, name, bytes, blob: await platform.blobs.put(createReadStream(path)) });
  }
  return rows;
}

/** Nobody reads the input of an execution that has ended. */
export async function removeInput(platform: Platform, id: string): Promise<void> {
  const row = await platform.database.read
    .selectFrom('executions')
    .select('input_blob')
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row?.input_blob) return;
  await platform.blobs.remove(row.input_blob);
  await platform.database.write((transaction) =>
    transaction.updateTable('executions').set({ input_blob: null }).where('id', '=', id).execute(),
  );
}

async function removeAll(platform: Platform, blobs: readonly (string | null)[]): Promise<void> {
  for (const blob of blobs) if (blob) await platform.blobs.remove(blob);
}
