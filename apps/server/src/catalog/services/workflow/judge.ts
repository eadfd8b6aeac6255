import type { Problem as WorkflowProblem, Requirements } from '@kethub/workflow';
import { Problem } from '../../../foundation/http/index.ts';
import { createThread } from '../../../foundation/process/index.ts';

/** The problems of a workflow, or its requirements. */
export interface JudgedWorkflow {
  readonly problems: readonly WorkflowProblem[];
  readonly requirements: Requirements | null;
}

const thread = createThread<Uint8Array, JudgedWorkflow>(new URL('judge-worker.ts', import.meta.url), {
  limitMs: 15_000,
  memoryMb: 512,
  waiting: 16,
});

/** Validates a workflow file. Throws too-many-requests when too many wait already. */
export async function judgeWorkflow(file: Uint8Array, limitMs?: number): Promise<JudgedWorkflow> {
  const judged = await thread(file, limitMs);
  if (judged === 'BUSY')
    throw new Problem('too-many-requests', 'Other workflows are being checked. Try again in a moment.', {
      headers: { 'retry-after': '5' },
    });
  if (judged !== 'EXCEEDED') return judged.answer;
  const message = 'The file takes too long or too much memory to be checked. Split the workflow.';
  return { problems: [{ elementId: null, code: 'TOO_LARGE', message }], requirements: null };
}
