import { setTimeout as pause } from 'node:timers/promises';
import { characterStart, parseLine, PIECE_BYTES, type LineSink } from '../runner/log-file.ts';
import { ClusterRefusal, linesOf, type ClusterApi } from './api.ts';
import { CONTAINERS } from './pod.ts';

/** `2026-11-21T17:28:41.388916819Z ` */
const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d) /;
/** Milliseconds until a log that was cut off is read on. */
const AGAIN_MS = 500;
/** Refusals after the end of the program until its log counts as removed: a node that evicts removes it. */
const MOST_REFUSALS = 10;
/** Bytes of a line. A longer one is an error of the node, which cuts lines itself. */
const LINE_BYTES = 64 * 1024 * 1024;

/**
 * State of a log: `isOver` when the program has ended and the log grows no more; `isGone` without its pod. `over`
 * resolves when one of them is true.
 */
export interface LogState {
  readonly over: Promise<void>;
  isOver(): boolean;
  isGone(): boolean;
}

/**
 * Follows the log of a program from its first line to its last, and delivers each line once, through every loss of the
 * connection. Returns false when the pod is gone before the log was read to its end.
 */
export async function followLog(
  api: ClusterApi,
  pod: string,
  state: LogState,
  sink: LineSink,
  signal: AbortSignal,
): Promise<boolean> {
  /** The second of the last line, and the lines of that second: the cluster counts in seconds. */
  let last = { second: '', lines: new Set<string>() };
  const deliver = (raw: Buffer): void => {
    const text = raw.toString('utf8');
    const found = STAMP.exec(text.slice(0, 40));
    if (found === null) return;
    const [stamp, seconds = '', fraction = '', zone = ''] = found;
    if (last.lines.has(text)) return;
    if (seconds !== last.second) last = { second: seconds, lines: new Set() };
    last.lines.add(text);
    const time = Date.parse(`${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`);
    for (const piece of piecesOf(text.slice(stamp.length)))
      sink({ ...parseLine(piece, 'INFO'), timestamp: new Date(time).toISOString() });
  };
  let refusals = 0;
  while (!signal.aborted) {
    const wasOver = state.isOver();
    try {
      const since = last.second === '' ? {} : { sinceTime: `${last.second}Z` };
      const query = { container: CONTAINERS.program, follow: !wasOver, timestamps: true, ...since };
      const answer = await api.open('GET', `pods/${pod}/log`, { query, signal });
      for await (const line of linesOf(answer, LINE_BYTES, wasOver)) deliver(line);
      // Only a log that was read to its end after the end of the program is whole.
      if (wasOver) return true;
    } catch (error) {
      if (signal.aborted) return true;
      if (error instanceof ClusterRefusal && error.status === 404 && state.isGone()) return false;
      if (wasOver && error instanceof ClusterRefusal && ++refusals === MOST_REFUSALS) return false;
    }
    if (state.isGone()) return state.isOver();
    const wait = pause(AGAIN_MS, null, { signal }).catch(() => undefined);
    await (wasOver ? wait : Promise.race([wait, state.over]));
  }
  return true;
}

function piecesOf(text: string): string[] {
  const bytes = Buffer.from(text.endsWith('\r') ? text.slice(0, -1) : text);
  if (bytes.length <= PIECE_BYTES) return [bytes.toString('utf8')];
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.length - from <= PIECE_BYTES ? bytes.length : characterStart(bytes, from + PIECE_BYTES);
    pieces.push(bytes.subarray(from, end).toString('utf8'));
    from = end;
  }
  return pieces;
}
