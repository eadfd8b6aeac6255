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
export function createThread<Asked, Answer>(script: URL, { limitMs, memoryMb, waiting }: ThreadLimits) {
  return oneAfterTheOther(waiting, (asked: Asked, ms: number = limitMs) =>
    inThread<Answer>(script, asked, ms, memoryMb),
  );
}

/**
 * The same for a script that answers again and again and remembers between: it posts one message when it is ready, and then
 * one for each that it gets. Its thread is ended when it exceeds its limits, and begins anew for whoever is next.
 */
export function createLastingThread<Asked, Answer>(script: URL, { limitMs, memoryMb, waiting }: ThreadLimits) {
  let worker: Worker | null = null;

  async function begin(): Promise<Worker> {
    const begun = workerOf(script, undefined, memoryMb);
    // What goes wrong while nobody waits is found by whoever asks next.
    begun.on('error', () => {
      if (worker === begun) worker = null;
    });
    await once(begun, 'message');
    begun.unref();
    worker = begun;
    return begun;
  }

  async function ask(asked: Asked): Promise<ThreadAnswer<Answer>> {
    const asking = worker ?? (await begin());
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), limitMs);
    try {
      const answered = once(asking, 'message', { signal: limit.signal });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      asking.postMessage(asked);
      const [answer] = (await answered) as [Answer];
      return { answer };
    } catch (error) {
      if (worker === asking) worker = null;
      await asking.terminate();
      if (limit.signal.aborted || isOutOfMemory(error)) return 'EXCEEDED';
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return oneAfterTheOther(waiting, ask);
}

/** BUSY when as many as may wait for their turn. */
function oneAfterTheOther<Asked extends readonly unknown[], Answer>(
  most: number,
  ask: (...asked: Asked) => Promise<ThreadAnswer<Answer>>,
): (...asked: Asked) => Promise<ThreadAnswer<Answer>> {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (...asked) => {
    if (waiting >= most) return 'BUSY';
    waiting++;
    const turn = last.then(() => ask(...asked));
    last = turn.catch(() => undefined);
    return turn.finally(() => waiting--);
  };
}

function workerOf(script: URL, workerData: unknown, memoryMb: number): Worker {
  return new Worker(script, {
    workerData,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
  });
}

async function inThread<Answer>(
  script: URL,
  workerData: unknown,
  limitMs: number,
  memoryMb: number,
): Promise<ThreadAnswer<Answer>> {
  const worker = workerOf(script, workerData, memoryMb);
  // A thread may run out of memory after its time is up, when nobody listens any more: that would end the process.
  worker.on('error', () => undefined);
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
