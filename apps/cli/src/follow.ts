import { UnreachableError, type FollowedEntry, type WatchOptions } from '@kethub/client';
import type { LogEntry } from '@kethub/contract';
import type { Output } from './terminal/output.ts';

interface Followed<T> {
  watch(options: WatchOptions): AsyncGenerator<T, void>;
  /** Null when the log is not wanted. */
  readonly log: ((options: { signal: AbortSignal }) => AsyncGenerator<FollowedEntry, void>) | null;
  /** The text shown for a status; null for none. */
  describe(value: T): string | null;
}

/** Milliseconds for the log to reach its end after the final status. Beyond them the rest is not shown. */
const logGrace = 3_000;

/** Follows status and log of an execution or a build at the same time, and returns its final state. */
export async function followToEnd<T>(output: Output, followed: Followed<T>, signal: AbortSignal): Promise<T> {
  const logEnds = new AbortController();
  const logSignal = AbortSignal.any([signal, logEnds.signal]);
  const log = followed.log ? showLog(output, followed.log({ signal: logSignal }), logSignal) : Promise.resolve();
  let last: T | undefined;
  try {
    const onInterruption = () => output.progress('The platform does not answer at the moment; still trying');
    for await (const value of followed.watch({ signal, onInterruption })) {
      last = value;
      const text = followed.describe(value);
      if (text !== null) output.progress(text);
    }
    const grace = setTimeout(() => logEnds.abort(), logGrace);
    await log;
    clearTimeout(grace);
  } finally {
    logEnds.abort();
    await log;
    output.settle();
  }
  if (last === undefined) throw new Error('A watch ended without a status');
  return last;
}

/** Shows the log and never fails: without the log, the execution is still followed, and the user sees a note. */
async function showLog(
  output: Output,
  entries: AsyncGenerator<FollowedEntry, void>,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const { entry } of entries) output.log(entry);
  } catch (error) {
    if (signal.aborted) return;
    // The watch of the status reports an unreachable platform already.
    if (!(error instanceof UnreachableError))
      output.note(`The log can no longer be followed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A log entry as a line of text. */
export function logLine(entry: LogEntry, timestamps: boolean): string {
  return timestamps ? `${entry.timestamp} ${entry.severity.padEnd(7)} ${entry.message}` : entry.message;
}
