import { jsonText } from '@kethub/workflow';
import { executionChanged, settleWorkflows, type Moved, type Settled } from '../../executions/index.ts';
import { recordExecutions } from '../../../catalog/metering/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import {
  isAmong,
  markOrphan,
  putOrphan,
  claimBlob,
  type Queries,
  type Returned,
  type StatementBatch,
} from '../../../foundation/storage/index.ts';
import type { Advanced, Next } from './reduce.ts';

/** Bytes of a result in the row. A longer one becomes a blob. */
const INLINE_BYTES = 64 * 1024;

/** The executions after the steps of their instances. Long results are stored already, and marked as orphans. */
export interface Settlement {
  readonly rows: readonly Settled[];
  /** Ids of executions that had a result before. */
  readonly replaced: readonly string[];
  readonly blobs: readonly string[];
}

/** Prepares the executions of root instances whose status or errors have changed. */
export async function prepareSettlement(platform: Platform, advanced: readonly Advanced[]): Promise<Settlement> {
  const rows: Settled[] = [];
  const replaced: string[] = [];
  const blobs: string[] = [];
  for (const { row, next } of advanced) {
    if (!next || row.parent_id !== null || !isNews(next)) continue;
    const { status } = next;
    // The cancellation has written the result.
    if (status === 'CANCELLED') continue;
    const text = next.result && jsonText(next.result);
    const bytes = text === null ? 0 : Buffer.byteLength(text);
    const large = text !== null && bytes > INLINE_BYTES;
    const blob = large ? await putOrphan(platform, text) : null;
    if (blob !== null) blobs.push(blob);
    if (next.statusBefore !== 'RUNNING') replaced.push(row.id);
    const ended_at = status === 'RUNNING' ? null : platform.now();
    rows.push({
      id: row.id,
      status,
      ended_at,
      result: large ? null : text,
      result_blob: blob,
      result_bytes: large ? bytes : null,
    });
  }
  return { rows, replaced, blobs };
}

function isNews({ effects, status, statusBefore }: Next): boolean {
  return status !== statusBefore || effects.some(({ type }) => type === 'incidentsChanged' || type === 'finished');
}

/** A settlement that is being written. */
interface Settling {
  readonly settlement: Settlement;
  /** Blobs of results that are replaced. */
  readonly before: readonly string[];
  readonly moved: Returned<Moved>;
}

/** Adds the executions to the statement batch of their instances. {@link settle} does the rest. */
export async function addSettlement(
  statements: StatementBatch,
  transaction: Queries,
  settlement: Settlement,
): Promise<Settling> {
  const before = await blobsOf(transaction, settlement.replaced);
  return { settlement, before, moved: settleWorkflows(statements, transaction, settlement.rows) };
}

/**
 * Call it after the statement batch, in the same transaction. Charges executions and claims their blobs. Returns the
 * blobs without a reference after the commit.
 */
export async function settle(
  platform: Platform,
  transaction: Queries,
  { settlement: { rows, blobs }, before, moved: { rows: moved } }: Settling,
): Promise<{ readonly unused: readonly string[]; readonly moved: readonly Moved[] }> {
  const endedAt = platform.now();
  const charged = moved.filter(({ status, isCharged }) => status === 'SUCCEEDED' && Boolean(isCharged));
  await recordExecutions(
    platform,
    transaction,
    charged.map(({ id, started_at }) => ({ executionId: id, startedAt: started_at, endedAt, cpuMs: null })),
  );
  const ids = new Set(moved.map(({ id }) => id));
  // An execution that was cancelled meanwhile keeps its result; the cancellation has released the earlier blob.
  const kept = rows.filter(({ id }) => ids.has(id)).flatMap(({ result_blob }) => result_blob ?? []);
  for (const blob of kept) await claimBlob(transaction, blob);
  for (const blob of before) await markOrphan(transaction, blob, endedAt);
  return { unused: [...blobs.filter((blob) => !kept.includes(blob)), ...before], moved };
}

/** The blobs of the results of these executions. */
async function blobsOf(transaction: Queries, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const query = transaction.selectFrom('executions').select('result_blob');
  const rows = await query
    .where(isAmong(transaction, 'id', ids))
    .where('result_blob', 'is not', null)
    .execute();
  return rows.flatMap(({ result_blob }) => result_blob ?? []);
}

/**
 * Notifies everybody of the new statuses, after the commit: hand-over 9 of the state chart in workflows/engine.ts.
 */
export function announce({ database, telemetry }: Platform, moved: readonly Moved[]): void {
  for (const row of moved) {
    executionChanged(database, row.id, row);
    if (row.status !== 'RUNNING') telemetry.metrics?.ended(row.status, null);
  }
}
