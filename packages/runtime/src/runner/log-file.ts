import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { messageOf } from '../errors.ts';
import type { LogLine, Severity } from '../types.ts';

/** Bytes of a line. A longer line is cut into pieces of this size. */
export const PIECE_BYTES = 64 * 1024;
/** Bytes that a worker may print before its job comes. Beyond them the worker is blocked. */
const BUFFER_BYTES = 256 * 1024;
/**
 * Bytes of output beyond the log limit that are dropped before a pause. At 200 MB/s this costs a fifth of a core; 1 GB
 * takes 5 s.
 */
const DROPPED_PER_PAUSE = 1024 * 1024;
/** Milliseconds of that pause. */
const PAUSE_MS = 4;

// oxlint-disable-next-line no-control-regex -- chosen because programs do not print it
const MARKED = /^\u001e(DEBUG|INFO|NOTICE|WARNING|ERROR) /;

/** Receives lines: those of the program, or `OURS`, which an engine that delivers a log again does not know. */
export type LineSink = (line: LogLine, from?: 'OURS') => void;

/**
 * Reads stdout and stderr of a sandbox from the first byte on and stamps each line with its time. Lines wait until they
 * have a receiver: a warm worker prints before its execution is known.
 */
export class OutputLines {
  readonly #buffered: LogLine[] = [];
  #bufferedBytes = 0;
  #sink: LineSink | null = null;
  readonly #streams: Readable[];
  #dropping = false;
  #dropped = 0;

  constructor(stdout: Readable, stderr: Readable) {
    this.#streams = [stdout, stderr];
    this.#read(stdout, 'INFO');
    this.#read(stderr, 'WARNING');
  }

  /** Sends lines to `sink` from now on, the waiting ones first. */
  deliverTo(sink: LineSink): void {
    this.#sink = sink;
    for (const line of this.#buffered.splice(0)) sink(line);
    for (const stream of this.#streams) stream.resume();
  }

  /** Discards further lines. It still reads, so that a full pipe does not block the program, but slowly. */
  drop(): void {
    this.#dropping = true;
  }

  /** Adds a line of our own to those of the program. */
  note(line: LogLine): void {
    if (!this.#dropping) this.#pass(line);
  }

  #read(stream: Readable, severity: Severity): void {
    let partialLine: Buffer = Buffer.alloc(0);
    stream.on('data', (chunk: Buffer) => {
      if (this.#dropping) {
        this.#throttle(stream, chunk.length);
        return;
      }
      const data = partialLine.length > 0 ? Buffer.concat([partialLine, chunk]) : chunk;
      let from = 0;
      for (let end = data.indexOf(10, from); end >= 0; end = data.indexOf(10, from)) {
        this.#line(data.subarray(from, end), severity);
        from = end + 1;
      }
      while (data.length - from > PIECE_BYTES) {
        const end = characterStart(data, from + PIECE_BYTES);
        this.#line(data.subarray(from, end), severity);
        from = end;
      }
      partialLine = data.subarray(from);
    });
    stream.on('end', () => {
      if (partialLine.length > 0 && !this.#dropping) this.#line(partialLine, severity);
    });
    stream.on('error', (error) => {
      console.error(`output of a sandbox could not be read: ${error.message}`);
    });
  }

  #line(bytes: Buffer, severity: Severity): void {
    for (let from = 0; from === 0 || from < bytes.length; from += PIECE_BYTES) {
      const text = bytes.subarray(from, from + PIECE_BYTES).toString('utf8');
      this.#pass(parseLine(text.endsWith('\r') ? text.slice(0, -1) : text, severity));
    }
  }

  #pass(line: LogLine): void {
    if (this.#sink !== null) {
      this.#sink(line);
      return;
    }
    this.#buffered.push(line);
    this.#bufferedBytes += line.message.length + 100;
    if (this.#bufferedBytes > BUFFER_BYTES) for (const stream of this.#streams) stream.pause();
  }

  #throttle(stream: Readable, bytes: number): void {
    this.#dropped += bytes;
    if (this.#dropped < DROPPED_PER_PAUSE) return;
    this.#dropped = 0;
    stream.pause();
    setTimeout(() => stream.resume(), PAUSE_MS);
  }
}

/**
 * Parses a line. A line that starts with U+001E, a severity and a space has that severity; our Python side marks lines
 * of `logging` like this.
 */
export function parseLine(text: string, severity: Severity): LogLine {
  const marked = MARKED.exec(text);
  return {
    timestamp: new Date().toISOString(),
    severity: marked === null ? severity : (marked[1] as Severity),
    message: marked === null ? text : text.slice(marked[0].length),
  };
}

/** The start of the UTF-8 character that holds the byte at `position`. */
export function characterStart(data: Buffer, position: number): number {
  let start = position;
  while (start > position - 4 && ((data[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}

/** The log of one execution: NDJSON with a limit. */
export class LogFile {
  readonly #path: string;
  /** Opened for the first line, as most programs print none. */
  #fd: number | null = null;
  readonly #limit: number;
  readonly #changed: (bytes: number) => void;
  #bytes = 0;
  /** Bytes of the whole lines in the file. */
  #stored = 0;
  #missing = false;
  #full = false;
  #closed = false;
  #waiting = '';
  /** Lines that an earlier runner has written, as long as the engine may deliver them again. */
  #written: readonly string[] | null;
  #next = 0;
  /** Called once, when the limit is reached. */
  onFull: () => void = () => undefined;

  constructor(path: string, limitBytes: number, changed: (bytes: number) => void) {
    this.#written = writtenBefore(path);
    this.#bytes = this.#written?.reduce((sum, line) => sum + Buffer.byteLength(line), 0) ?? 0;
    this.#stored = this.#bytes;
    this.#path = path;
    this.#limit = limitBytes;
    this.#changed = changed;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Appends a line, unless the limit is reached. The limit counts stored bytes, not printed ones. */
  append(line: LogLine, from?: 'OURS'): void {
    if (this.#full) return;
    const text = `${JSON.stringify(line)}\n`;
    if (from !== 'OURS' && this.#isWritten(text)) return;
    if (this.#bytes + Buffer.byteLength(text) > this.#limit) {
      this.#full = true;
      this.note(
        'WARNING',
        `The log has reached its limit of ${this.#limit} bytes. What the program printed after this line was not kept.`,
      );
      this.onFull();
      return;
    }
    this.#write(text);
  }

  /** Appends a line of our own, whatever the limit. */
  note(severity: Severity, message: string): void {
    this.#write(lineOf(severity, message));
  }

  /** Closes the log. Later lines are dropped, as the end may be recorded already. */
  close(): void {
    if (this.#closed) return;
    this.#flush();
    this.#closed = true;
    if (this.#fd !== null) closeSync(this.#fd);
  }

  /**
   * Returns whether the file already has this line. A log that is read again continues after the stored lines; our own
   * do not come again.
   */
  #isWritten(text: string): boolean {
    if (this.#written === null) return false;
    const index = this.#written.indexOf(text, this.#next);
    if (index < 0) this.#written = null;
    this.#next = index + 1;
    return index >= 0;
  }

  /** Writes all lines of a chunk of output together (a write costs 20 µs), before the next chunk is read. */
  #write(text: string): void {
    if (this.#closed) return;
    this.#bytes += Buffer.byteLength(text);
    if (this.#waiting === '') {
      setImmediate(() => {
        this.#flush();
      });
    }
    this.#waiting += text;
  }

  /** Cuts off an incomplete line, so that the next line does not continue it. */
  #cut(): void {
    try {
      if (this.#fd !== null) ftruncateSync(this.#fd, this.#stored);
    } catch (error) {
      // A broken disk must not end the runner, and with it all other executions.
      console.error(`a log could not be cut: ${messageOf(error)}`);
    }
  }

  #flush(): void {
    if (this.#waiting === '') return;
    const missing = this.#missing ? lineOf('WARNING', 'Lines are missing here: there was no room on the disk.') : '';
    const lines = Buffer.from(missing + this.#waiting);
    this.#waiting = '';
    try {
      const file = (this.#fd ??= openSync(this.#path, 'a', 0o600));
      for (let written = 0; written < lines.length;) written += writeSync(file, lines, written);
      this.#stored += lines.length;
      this.#missing = false;
    } catch (error) {
      // The disk is full: the execution goes on without these lines.
      this.#missing = true;
      console.error(`a log could not be written: ${messageOf(error)}`);
      this.#cut();
    }
    this.#bytes = this.#stored;
    this.#changed(this.#bytes);
  }
}

/** The whole lines of a log, each with its line feed, or null when there are none. Removes an incomplete last line. */
function writtenBefore(path: string): string[] | null {
  if (!existsSync(path)) return null;
  const bytes = readFileSync(path);
  const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  if (whole.length < bytes.length) truncateSync(path, whole.length);
  if (whole.length === 0) return null;
  return whole
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => `${line}\n`);
}

function lineOf(severity: Severity, message: string): string {
  return `${JSON.stringify({ timestamp: new Date().toISOString(), severity, message } satisfies LogLine)}\n`;
}
