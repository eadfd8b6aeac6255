import { limits } from '@kethub/contract';
import { JsonScanner } from '@kethub/runtime/json';
import { parseExact, type Value } from '@kethub/workflow';
import type { Blobs, ExecutionRow } from '../../storage/index.ts';

const WORKFLOW_RESULT = { bytes: limits.workflowResultBytes, depth: 1_000, containers: limits.workflowResultParts };

/** The result of the service, without the HAL members. It is judged by its bytes before anything is built of it. */
export async function serviceResult(
  blobs: Pick<Blobs, 'get'>,
  row: Pick<ExecutionRow, 'result' | 'result_blob'>,
): Promise<{ readonly value: Value } | 'TOO_LARGE'> {
  if (row.result_blob === null) return { value: parseExact(row.result ?? '{}') };
  const { stream } = await blobs.get(row.result_blob);
  const chunks: Buffer[] = [];
  const scanner = new JsonScanner(WORKFLOW_RESULT);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    // Leaving the loop ends the stream.
    if (!scanner.push(chunk)) return 'TOO_LARGE';
    chunks.push(chunk);
  }
  return { value: parseExact(Buffer.concat(chunks).toString('utf8')) };
}
