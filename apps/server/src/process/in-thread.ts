import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface ThreadLimits {
  readonly limitMs: number;
  readonly memoryMb: number;
  /** How many may wait for their turn. */
  readonly waiting: number;
}

/** BUSY: too many wait already. EXCEEDED: it took too long or too much memory. */
export type ThreadAnswer<Answer> = { readonly answer: Answer } | 'BUSY' | 'EXCEEDED';

/**
 * Has a script judge what came from outside, each time in a thread of its own with limits on time and memory: parsers and
 * validators take far longer for hostile documents than for others of their size, and nobody else shall wait for that. One
 * after the other. The script posts one message, its answer.
 */
export function createThread<Asked, Answer>(script: URL, { limitMs, memoryMb, waiting: most }: ThreadLimits) {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (asked: Asked, ms: number = limitMs): Promise<ThreadAnswer<Answer>> => {
    if (waiting >= most) return 'BUSY';
    waiting++;
    const turn = last.then(() => inThread<Answer>(script, asked, ms, memoryMb));
    last = turn.catch(() => undefined);
    return turn.finally(() => waiting--);
  };
}

async function inThread<Answer>(
  script: URL,
  workerData: unknown,
  limitMs: number,
  memoryMb: number,
): Promise<ThreadAnswer<Answer>> {
  const worker = new Worker(script, {
    workerData,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
  });
  const limit = AbortSignal.timeout(limitMs);
  try {
    const [answer] = (await once(worker, 'message', { signal: limit })) as [Answer];
    return { answer };
  } catch (error) {
    if (limit.aborted || isOutOfMemory(error)) return 'EXCEEDED';
    throw error;
  } finally {
    await worker.terminate();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
