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

/** Result that is kept in the row; a longer one becomes a blob. */
const INLINE_BYTES = 64 * 1024;

/** What executions become with their instances; long results are stored already, and noted as unused. */
export interface Settlement {
  readonly rows: readonly Settled[];
  /** Which of them have had a result before. */
  readonly replaced: readonly string[];
  readonly blobs: readonly string[];
}

/** Of the instances at the root those whose status or errors have changed. */
export async function prepareSettlement(platform: Platform, advanced: readonly Advanced[]): Promise<Settlement> {
  const rows: Settled[] = [];
  const replaced: string[] = [];
  const blobs: string[] = [];
  for (const { row, next } of advanced) {
    if (!next || row.parent_id !== null || !isNews(next)) continue;
    const { status } = next;
    // Who cancelled it has given it its result.
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

/** What is being written of a settlement. */
interface Settling {
  readonly settlement: Settlement;
  /** Results that are replaced, and were too long for their rows. */
  readonly before: readonly string[];
  readonly moved: Returned<Moved>;
}

/** Adds the executions to what is written with their instances. {@link settle} does the rest. */
export async function addSettlement(
  statements: StatementBatch,
  transaction: Queries,
  settlement: Settlement,
): Promise<Settling> {
  const before = await blobsOf(transaction, settlement.replaced);
  return { settlement, before, moved: settleWorkflows(statements, transaction, settlement.rows) };
}

/** Once they are written, in the same transaction; returns the blobs that nothing refers to after it. */
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
  // Of one that was cancelled meanwhile neither is replaced nor written; its own was taken away with the status.
  const kept = rows.filter(({ id }) => ids.has(id)).flatMap(({ result_blob }) => result_blob ?? []);
  for (const blob of kept) await claimBlob(transaction, blob);
  for (const blob of before) await markOrphan(transaction, blob, endedAt);
  return { unused: [...blobs.filter((blob) => !kept.includes(blob)), ...before], moved };
}

/** The results of these that are too long for their rows. */
async function blobsOf(transaction: Queries, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const query = transaction.selectFrom('executions').select('result_blob');
  const rows = await query
    .where(isAmong(transaction, 'id', ids))
    .where('result_blob', 'is not', null)
    .execute();
  return rows.flatMap(({ result_blob }) => result_blob ?? []);
}

/** Tells of it, after the transaction. */
export function announce({ database, telemetry }: Platform, moved: readonly Moved[]): void {
  for (const row of moved) {
    executionChanged(database, row.id, row);
    if (row.status !== 'RUNNING') telemetry.metrics?.ended(row.status, null);
  }
}
