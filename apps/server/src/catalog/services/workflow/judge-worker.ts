import { parentPort, workerData } from 'node:worker_threads';
import { parse, requirements, type Problem } from '@kethub/workflow';
import type { JudgedWorkflow } from './judge.ts';
import { problemOfSchema } from '@kethub/service-api/input-schema';

/** Validates a workflow file. Runs in its own thread, see judge.ts. */
async function judge(file: Uint8Array): Promise<JudgedWorkflow> {
  const parsed = await parse(file);
  if ('problems' in parsed) return { problems: parsed.problems, requirements: null };
  const found = requirements(parsed.graph);
  const message = found.requestSchema ? problemOfSchema(found.requestSchema) : null;
  const problems: Problem[] =
    message === null ? [] : [{ elementId: found.startEvent, code: 'REQUEST_SCHEMA', message }];
  return { problems, requirements: problems.length > 0 ? null : found };
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(await judge(workerData as Uint8Array));
