import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import { characterStart, parseLine, PIECE_BYTES, type LineSink } from '../runner/log-file.ts';
import { ClusterRefusal, linesOf, type ClusterApi } from './api.ts';
import { CONTAINERS } from './pod.ts';

/** `2026-11-21T17:28:41.388916819Z ` */
const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d) /;
/** The mark of a line of standard error. */
const WARNING = '\u001eWARNING ';
/** Milliseconds until a log that was cut off is read on. */
const AGAIN_MS = 500;
/** Milliseconds until a log is read again whose program has ended: the first, doubled each time, and the longest. */
const LATE_MS = 100;
const LONGEST_LATE_MS = 1_000;
/** Readings after the end of the program for a log that has its mark, and for one that nothing marks. */
const MOST_READINGS = 20;
const SILENT_READINGS = 2;
/** Refusals after the end of the program until its log counts as removed: a node that evicts removes it. */
const MOST_REFUSALS = 10;
/** Milliseconds without a line, after the end of the program, until a reading counts as lost. */
const SILENT_MS = 120_000;
/** Words of an API server that does not reach the node of a pod, and milliseconds until its log counts as removed. */
const NODE_AWAY = /containerLogs/;
const NODE_AWAY_MS = 600_000;
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
  /** The last word of the log; null for a pod of an older version. */
  readonly mark: string | null;
  /** True if the program has ended without it. */
  endedSilently(): boolean;
}

/** State in which a reading ended: `REMOVED` with its pod, `CUT` when the last word never came. */
export type LogEnd = 'WHOLE' | 'REMOVED' | 'CUT';

/**
 * Follows the log of a program from its first line to its last word, and delivers each line once, through every loss of
 * the connection. The API server ends an answer without an error also when its own connection to the node was lost. The
 * node does so while the rest is not yet written. Only the last word says that a log is whole.
 */
export async function followLog(
  api: ClusterApi,
  pod: string,
  state: LogState,
  sink: LineSink,
  signal: AbortSignal,
  { mostReadings = MOST_READINGS, silentMs = SILENT_MS, nodeAwayMs = NODE_AWAY_MS } = {},
): Promise<LogEnd> {
  /** The second of the last line, and the lines of that second: the cluster counts in seconds. */
  let last = { second: '', lines: new Set<string>() };
  let isWhole = false;
  const deliver = (raw: Buffer): void => {
    const line = raw.toString('utf8');
    // Blanks follow the last word, and begin with it.
    isWhole = state.mark !== null && line.trimEnd().endsWith(state.mark);
    const text = isWhole ? line.slice(0, line.lastIndexOf(state.mark ?? '')) : line;
    const found = STAMP.exec(text.slice(0, 40));
    if (found === null) return;
    const [stamp, seconds = '', fraction = '', zone = ''] = found;
    if (last.lines.has(text) || (isWhole && text === stamp)) return;
    if (seconds !== last.second) last = { second: seconds, lines: new Set() };
    last.lines.add(text);
    const time = Date.parse(`${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`);
    for (const piece of endedByWarning(text.slice(stamp.length)).flatMap(piecesOf))
      sink({ ...parseLine(piece, 'INFO'), timestamp: new Date(time).toISOString() });
  };
  const unmarked = (): boolean => state.mark === null || state.endedSilently();
  let refusals = 0;
  let nodeAwaySince: number | null = null;
  for (let readings = 0; !signal.aborted;) {
    const wasOver = state.isOver();
    const isLast = wasOver && readings + 1 >= (unmarked() ? SILENT_READINGS : mostReadings);
    // A connection that the network has forgotten would be read for ever. While the program runs, silence says nothing.
    const lost = new AbortController();
    const silence = setInterval(() => state.isOver() && lost.abort(), silentMs).unref();
    try {
      const since = last.second === '' ? {} : { sinceTime: `${last.second}Z` };
      const query = { container: CONTAINERS.program, follow: !wasOver, timestamps: true, ...since };
      const answer = await api.open('GET', `pods/${pod}/log`, {
        query,
        signal: AbortSignal.any([signal, lost.signal]),
      });
      for await (const line of linesOf(answer, LINE_BYTES, isLast)) {
        silence.refresh();
        deliver(line);
        if (isWhole) return 'WHOLE';
      }
      if (isLast) return unmarked() ? 'WHOLE' : 'CUT';
      if (wasOver) readings += 1;
    } catch (error) {
      if (signal.aborted) return 'WHOLE';
      if (error instanceof ClusterRefusal && error.status === 404 && state.isGone()) return 'REMOVED';
      if (wasOver && error instanceof ClusterRefusal && ++refusals === MOST_REFUSALS) return 'REMOVED';
      nodeAwaySince = wasOver && NODE_AWAY.test(messageOf(error)) ? (nodeAwaySince ?? performance.now()) : null;
      if (nodeAwaySince !== null && performance.now() - nodeAwaySince >= nodeAwayMs) return 'REMOVED';
    } finally {
      clearInterval(silence);
    }
    if (state.isGone()) return unmarked() ? 'WHOLE' : 'REMOVED';
    const late = Math.min(LONGEST_LATE_MS, LATE_MS * 2 ** (readings - 1));
    const wait = pause(readings > 0 ? late : AGAIN_MS, null, { signal }).catch(() => undefined);
    await (wasOver ? wait : Promise.race([wait, state.over]));
  }
  return 'WHOLE';
}

/** A line of standard error that follows a line without its end stands in the same line of the log. */
function endedByWarning(text: string): string[] {
  const at = text.indexOf(WARNING, 1);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at)];
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
