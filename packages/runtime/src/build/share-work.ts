/**
 * Lets callers that want the same work at the same time share one run of it. If the caller that started the run aborts
 * it, the next waiting caller starts it again with its own signal.
 */
export function shareWork<Result>(): (
  key: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
) => Promise<Result> {
  const running = new Map<string, { promise: Promise<Result>; signal: AbortSignal }>();
  return async function share(key, signal, work): Promise<Result> {
    for (;;) {
      signal.throwIfAborted();
      const other = running.get(key);
      if (other === undefined) {
        const promise = work().finally(() => running.delete(key));
        running.set(key, { promise, signal });
        return promise;
      }
      try {
        return await unlessAborted(other.promise, signal);
      } catch (error) {
        if (!other.signal.aborted) throw error;
      }
    }
  };
}

async function unlessAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => {
    reject(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
