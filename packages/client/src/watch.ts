import { readJson, type CallOptions } from './connection.ts';
import { KethubError, UnreachableError } from './errors.ts';
import { pause } from './pause.ts';

export interface WatchOptions extends CallOptions {
  /** Called when the platform cannot be reached; the watch goes on for `maxOutage` milliseconds. */
  readonly onInterruption?: (error: Error) => void;
  /** Milliseconds without any answer after which a watch is given up. Default 60,000. */
  readonly maxOutage?: number;
}

/** Seconds that one request waits for a change. Below the 60 s after which proxies commonly cut a silent connection. */
const waitSeconds = 50;
/** Least milliseconds between two requests, should an answer come at once although nothing changed. */
const leastPause = 500;

/**
 * Asks for a resource with `Prefer: wait` (RFC 7240 §4.3) and yields it now and whenever its status changes, to the
 * final status. Outlives a restart of the platform.
 */
export async function* watch<T extends { readonly status: string }>(
  ask: (request: { headers: Record<string, string>; signal: AbortSignal | undefined }) => Promise<Response>,
  isFinal: (value: T) => boolean,
  options: WatchOptions = {},
): AsyncGenerator<T, void> {
  const { signal, maxOutage = 60_000 } = options;
  let last: T | undefined;
  let etag: string | null = null;
  let silentSince: number | undefined;
  for (;;) {
    const asked = performance.now();
    try {
      const headers = {
        ...(last && { prefer: `wait=${waitSeconds}` }),
        ...(etag !== null && { 'if-none-match': etag }),
      };
      const response = await ask({ headers, signal });
      silentSince = undefined;
      if (response.status !== 304) {
        const value = await readJson<T>(response, signal);
        etag = response.headers.get('etag');
        const changed = value.status !== last?.status;
        last = value;
        if (changed) yield value;
        if (isFinal(value)) return;
        if (changed) continue;
      }
    } catch (error) {
      if (signal?.aborted || !(error instanceof UnreachableError || isTransient(error))) throw error;
      silentSince ??= asked;
      if (performance.now() - silentSince > maxOutage) throw error;
      options.onInterruption?.(error);
      await pause(1_000, signal);
    }
    const spent = performance.now() - asked;
    if (spent < leastPause) await pause(leastPause - spent, signal);
  }
}

function isTransient(error: unknown): error is KethubError {
  return error instanceof KethubError && (error.status >= 500 || error.status === 429);
}
