import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Place } from './json.ts';

export interface ToJudge {
  readonly text: string;
  readonly form: 'JSON' | 'YAML';
}

export type Judgement =
  | { readonly ok: true; /** As JSON. */ readonly document: string }
  | { readonly ok: false; readonly errors: readonly Place[] };

/** Measured: half a megabyte of YAML takes up to 5 s on a busy machine, and a hostile one 45 s. */
const LIMIT_MS = 15_000;
const WAITING = 8;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Judges a document in a thread of its own, with limits on time and memory: parser and validator take far longer for
 * hostile documents than for others of their size, and nobody else shall wait for that. One after the other; null when
 * too many wait already.
 */
export async function judgeDocument(document: ToJudge, limitMs: number = LIMIT_MS): Promise<Judgement | null> {
  if (waiting >= WAITING) return null;
  waiting++;
  const turn = last.then(() => inThread(document, limitMs));
  last = turn.catch(() => undefined);
  return turn.finally(() => waiting--);
}

async function inThread(workerData: ToJudge, limitMs: number): Promise<Judgement> {
  const worker = new Worker(new URL('judge-worker.ts', import.meta.url), {
    workerData,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
  });
  const limit = AbortSignal.timeout(limitMs);
  try {
    const [judgement] = (await once(worker, 'message', { signal: limit })) as [Judgement];
    return judgement;
  } catch (error) {
    if (limit.aborted || isOutOfMemory(error))
      return { ok: false, errors: [{ pointer: '', detail: 'takes too long or too much memory to be checked' }] };
    throw error;
  } finally {
    await worker.terminate();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
