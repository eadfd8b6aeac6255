import type { ExecutionEnd } from '@kethub/runtime';
import type { Platform } from '../../foundation/platform.ts';
import { lackOfStorage, lockStorage, readStorage } from '../../catalog/quotas/index.ts';
import type { Queries } from '../../foundation/storage/index.ts';

/**
 * Bytes that are kept even beyond the quota. Most results are smaller and need no query; an owner over its quota starts
 * nothing more.
 */
const SMALL_BYTES = 64 * 1024;

/** Bytes of the result and all result files of an end. The log is not counted: it is kept in any case. */
export function resultBytes({ result, files }: ExecutionEnd): number {
  return files.reduce((sum, { bytes }) => sum + bytes, result?.bytes ?? 0);
}

/**
 * Null when `bytes` fit into the storage quota of the owner of an execution; otherwise a sentence that says why not.
 * Within a transaction the storage of the owner is locked, so that the quota is never exceeded.
 */
export async function lackFor(platform: Platform, queries: Queries, id: string, bytes: number): Promise<string | null> {
  if (bytes <= SMALL_BYTES) return null;
  const row = await queries
    .selectFrom('executions')
    .select(['owner_type', 'owner_id', 'input_bytes'])
    .select(({ eb }) => eb('input_blob', 'is not', null).as('hasLongInput'))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row || row.owner_type === null || row.owner_id === null) return null;
  const owner = { type: row.owner_type, id: row.owner_id };
  if (queries.isTransaction) await lockStorage(queries, owner);
  const { used, quota } = await readStorage(platform, queries, owner);
  // A long input is deleted with the end.
  const freed = row.hasLongInput ? (row.input_bytes ?? 0) : 0;
  return lackOfStorage({ used: used - freed, quota }, bytes);
}

/** An end without result and files, which do not fit into the quota of the owner. It is FAILED, with the reason. */
export function withoutContent(end: ExecutionEnd, lack: string): ExecutionEnd {
  const { result: _result, files: _files, ...rest } = end;
  const own = end.cause ? `${end.cause.detail} ` : '';
  const cause = {
    type: 'about:blank',
    title: end.cause?.title ?? 'Storage quota exceeded',
    detail: `${own}Result and result files were not kept: they exceed the storage quota of the owner of the execution. ${lack} Delete data that is not needed any more, then start the execution again.`,
  };
  const outcome = end.outcome === 'SUCCEEDED' ? ('FAILED' as const) : end.outcome;
  return { ...rest, outcome, result: null, files: [], cause };
}
