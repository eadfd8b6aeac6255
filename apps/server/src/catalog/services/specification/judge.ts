import { createThread } from '../../../foundation/process/index.ts';
import type { ValidationError } from '@kethub/service-api/specification';

export interface ToJudge {
  readonly text: string;
  readonly form: 'JSON' | 'YAML';
}

export type Judgement =
  | { readonly ok: true; /** As JSON. */ readonly document: string }
  | { readonly ok: false; readonly errors: readonly ValidationError[] };

/**
 * Thread that validates documents. Half a megabyte of YAML takes up to 5 s on a busy machine, and a hostile document 45
 * s.
 */
const thread = createThread<ToJudge, Judgement>(new URL('judge-worker.ts', import.meta.url), {
  limitMs: 15_000,
  memoryMb: 256,
  waiting: 8,
});

/** Validates a document in a thread; null when too many wait already. */
export async function judgeDocument(document: ToJudge, limitMs?: number): Promise<Judgement | null> {
  const judged = await thread(document, limitMs);
  if (judged === 'BUSY') return null;
  if (judged !== 'EXCEEDED') return judged.answer;
  return { ok: false, errors: [{ pointer: '', detail: 'takes too long or too much memory to be checked' }] };
}
