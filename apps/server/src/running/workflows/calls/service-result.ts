import { limits } from '@kethub/contract';
import { JsonScanner } from '@kethub/runtime/json';
import type { Value } from '@kethub/workflow';
import { readExact } from '../exact.ts';
import type { Blobs, ExecutionRow } from '../../../foundation/storage/index.ts';

const WORKFLOW_RESULT = { bytes: limits.workflowResultBytes, depth: 1_000, containers: limits.workflowResultParts };

/** The result of a service, without the HAL members. Its bytes are scanned before values are built. */
export async function serviceResult(
  blobs: Pick<Blobs, 'get'>,
  row: Pick<ExecutionRow, 'result' | 'result_blob'>,
): Promise<{ readonly value: Value } | 'TOO_LARGE'> {
  if (row.result_blob === null) return { value: (await readExact(row.result ?? '{}')) as Value };
  const { stream } = await blobs.get(row.result_blob);
  return readValue(stream as AsyncIterable<Buffer>);
}

/** Parses the JSON of a stream. Throws SyntaxError. */
export async function readValue(stream: AsyncIterable<Buffer>): Promise<{ readonly value: Value } | 'TOO_LARGE'> {
  const chunks: Buffer[] = [];
  const scanner = new JsonScanner(WORKFLOW_RESULT);
  for await (const chunk of stream) {
    // Leaving the loop ends the stream.
    if (!scanner.push(chunk)) return refused(scanner);
    chunks.push(chunk);
  }
  return { value: (await readExact(Buffer.concat(chunks))) as Value };
}

function refused(scanner: JsonScanner): 'TOO_LARGE' {
  const judged = scanner.end();
  if ('problem' in judged && judged.problem.startsWith('it is not JSON')) throw new SyntaxError(judged.problem);
  return 'TOO_LARGE';
}
