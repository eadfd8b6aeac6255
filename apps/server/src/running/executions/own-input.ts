import { isFinal, toTimestamp } from '@kethub/contract';
import type { Readable } from 'node:stream';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { findExecution } from './queries.ts';
import { executionNotFound, type ExecutionScope } from './scope.ts';

/**
 * The input of an execution, byte for byte, without `$secrets` and `$tags`. One longer than 64 KiB is there until the
 * end. Throws execution-not-found, result-expired, input-not-kept.
 */
export async function readInput(platform: Platform, scope: ExecutionScope, id: string): Promise<string | Readable> {
  const row = await findExecution(platform.database, scope, id);
  if (!row) throw executionNotFound(scope, id);
  if (row.input !== null) return row.input;
  if (row.input_blob !== null) return (await platform.blobs.get(row.input_blob)).stream;
  if (row.expired_at !== null)
    throw new Problem('result-expired', `The input was deleted with the result on ${toTimestamp(row.expired_at)}.`);
  const reason = isFinal(row.status)
    ? 'Inputs longer than 64 KiB are deleted with the end.'
    : 'It was too long to keep.';
  throw new Problem('input-not-kept', `The input of this execution is not kept. ${reason}`);
}
