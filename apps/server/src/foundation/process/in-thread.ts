import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

interface ThreadLimits {
  readonly limitMs: number;
  readonly memoryMb: number;
  /** Requests that may wait. Beyond them the answer is BUSY. */
  readonly waiting: number;
}

/** BUSY: too many requests wait. EXCEEDED: the script took too much time or memory. */
type ThreadAnswer<Answer> = { readonly answer: Answer } | 'BUSY' | 'EXCEEDED';

/**
 * Runs a script on untrusted input, one request at a time, each in a new thread with limits on time and memory.
 * Parsers and validators take far longer for hostile documents than for others of their size; in a thread they block
 * no other request. The script posts one message, its answer.
 */
export function createThread<Asked, Answer>(script: URL, { limitMs, memoryMb, waiting }: ThreadLimits) {
  return serialized(waiting, (asked: Asked, ms: number = limitMs) => inThread<Answer>(script, asked, ms, memoryMb));
}

/**
 * Like `createThread`, with one thread for many requests, so that the script can keep state. The script posts one
 * message when it is ready, and one for each message that it gets. A thread that exceeds its limits is ended; the
 * next request starts another.
 */
export function createLastingThread<Asked, Answer>(script: URL, { limitMs, memoryMb, waiting }: ThreadLimits) {
  let worker: Worker | null = null;

  async function begin(): Promise<Worker> {
    const begun = workerOf(script, undefined, memoryMb);
    // After an error between two requests the next request starts another thread.
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

  return serialized(waiting, ask);
}

/** Calls `ask` for one request at a time. The answer is BUSY while `most` requests wait. */
function serialized<Asked extends readonly unknown[], Answer>(
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
  // Compiled code is used again: it halves the time in which a thread begins.
  const compiled = getCompileCacheDir();
  const worker = new Worker(script, {
    workerData,
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(compiled) },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
  });
  // A thread may run out of memory after its time limit. Without a listener, that error would end the process.
  worker.on('error', () => undefined);
  return worker;
}

async function inThread<Answer>(
  script: URL,
  workerData: unknown,
  limitMs: number,
  memoryMb: number,
): Promise<ThreadAnswer<Answer>> {
  const worker = workerOf(script, workerData, memoryMb);
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
