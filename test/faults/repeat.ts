import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds for which a request is repeated once nothing is broken. */
export const REPEAT_MS = 30_000;

/** Repeats a request until it succeeds. Null if it does not, although nothing is broken. */
export async function repeat<T>(ask: (limit: AbortSignal) => Promise<T | null>, stop: AbortSignal): Promise<T | null> {
  for (let since = Number.POSITIVE_INFINITY; performance.now() - since < REPEAT_MS;) {
    const answer = await ask(AbortSignal.timeout(10_000)).catch(() => null);
    if (answer !== null) return answer;
    if (stop.aborted) since = Math.min(since, performance.now());
    await pause(50);
  }
  return null;
}
