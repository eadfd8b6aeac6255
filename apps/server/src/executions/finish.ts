import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { ExecutionEnd, Outcome, ResultFile, Runtime } from '@kethub/runtime';
import { clearPools } from '../datapools/index.ts';
import { recordExecution } from '../metering/index.ts';
import { removeCopies } from '../logs/index.ts';
import type { Platform } from '../platform.ts';
import { isOutage, type ExecutionFileRow } from '../storage/index.ts';
import { keepExecutionLog } from './log.ts';
import { filesOf, move } from './queries.ts';
import { digestOf, hashed, recordOf, type Kept } from './record/index.ts';
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
  const { content, ...result } = end.result ? await keepResult(platform, end.result) : NO_RESULT;
  const { files, contents } = await keepFiles(platform, end);
  const record = recordOf(end, content, contents);
  const blobs = [log.log_blob, result.result_blob, ...files.map(({ blob }) => blob)];
  try {
    const used = await platform.database.write(async (transaction) => {
      const cause = end.cause && JSON.stringify(end.cause);
      const values = { ...log, ...result, record, cause, ended_at: end.endedAt, sealed_secrets: null, input: null };
      await removeCopies(transaction, id);
      if (await move(transaction, id, events[end.outcome], values)) {
        if (files.length > 0) await transaction.insertInto('execution_files').values(files).execute();
        if (end.outcome === 'SUCCEEDED') await recordExecution(platform, transaction, end);
        return blobs;
      }
      // It was cancelled while it ran: only its log and its record are still missing.
      const { numUpdatedRows } = await transaction
        .updateTable('executions')
        .set({ ...log, record })
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
    await settle(platform, id);
  } catch (error) {
    // When the database went away it may have kept all of it, and only its answer was lost.
    if (isOutage(error)) unsettled.set(id, [...(unsettled.get(id) ?? []), ...blobs]);
    else await removeAll(platform, blobs);
    throw error;
  }
  executionChanged(platform.database, id);
  await removeInput(platform, id);
  await clearPools(platform, id);
  await runtime.forget(id);
}

/** Blobs of ends of which it is not known whether they were kept, by execution. */
const unsettled = new Map<string, readonly (string | null)[]>();

/** Removes what an attempt before has stored, unless it was kept after all. */
async function settle(platform: Platform, id: string): Promise<void> {
  const blobs = unsettled.get(id);
  if (!blobs) return;
  const row = await platform.database.read
    .selectFrom('executions')
    .select(['log_blob', 'result_blob'])
    .where('id', '=', id)
    .executeTakeFirst();
  const files = await filesOf(platform.database, id);
  const kept = new Set([row?.log_blob, row?.result_blob, ...files.map(({ blob }) => blob)]);
  await removeAll(
    platform,
    blobs.filter((blob) => !kept.has(blob)),
  );
  unsettled.delete(id);
}

/** The code has certainly not run. Forgotten first: a worker that claims it next must find the id free. */
async function giveBack(platform: Platform, runtime: Runtime, id: string): Promise<void> {
  await clearPools(platform, id);
  await runtime.forget(id);
  await platform.database.write((transaction) =>
    move(transaction, id, 'NOT_STARTED', {
      started_at: null,
      worker_id: null,
      cpus: null,
      memory_bytes: null,
      gpus: null,
      gpu_type: null,
    }),
  );
  executionChanged(platform.database, id);
}

interface KeptResult {
  readonly result: string | null;
  readonly result_blob: string | null;
  readonly content: Kept['result'];
}

const NO_RESULT: KeptResult = { result: null, result_blob: null, content: null };

/** The result as the text of a JSON object without HAL members: a value that is no object goes under the key `result`. */
async function keepResult(platform: Platform, file: ResultFile): Promise<KeptResult> {
  const raw = (await readFile(file.path, 'utf8')).trim();
  const text = file.isObject ? (file.reservedMembers ? withoutReserved(raw) : raw) : `{"result":${raw}}`;
  const content = { digest: digestOf(text), bytes: Buffer.byteLength(text) };
  if (content.bytes <= INLINE_BYTES) return { result: text, result_blob: null, content };
  return { result: null, result_blob: await platform.blobs.put(text), content };
}

function withoutReserved(text: string): string {
  const value = JSON.parse(text) as Record<string, unknown>;
  delete value['_links'];
  delete value['_embedded'];
  return JSON.stringify(value);
}

async function keepFiles(
  platform: Platform,
  end: ExecutionEnd,
): Promise<{ readonly files: ExecutionFileRow[]; readonly contents: Kept['files'] }> {
  const files: ExecutionFileRow[] = [];
  const contents: { name: string; bytes: number; digest: string }[] = [];
  for (const { name, bytes, path } of end.files) {
    const { stream, digest } = hashed();
    // Which of both fails tells why; the other one ends with it.
    const [blob] = await Promise.all([platform.blobs.put(stream), pipeline(createReadStream(path), stream)]);
    files.push({ execution_id: end.executionId, name, bytes, blob });
    contents.push({ name, bytes, digest: digest() });
  }
  return { files, contents };
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
