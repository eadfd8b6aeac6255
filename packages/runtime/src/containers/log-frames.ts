import type { LogLine } from '../types.ts';
import { characterStart, parseLine, PIECE_BYTES } from '../runner/log-file.ts';

const HEADER = 8;
const STDERR = 2;
/** `2026-11-21T17:28:41.388916819Z `; Podman writes an offset and fewer digits. */
const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d) /;
const STAMP_BYTES = 40;

/**
 * Reads the log of a container as the engine streams it. A frame has a stream (1 and 2 are stdout and stderr), a length
 * and a timestamp. Its content is a line, or a piece of a long one. The result depends only on what the engine keeps,
 * so it can be read again.
 */
export class LogFrames {
  readonly #sink: (line: LogLine) => void;
  #partialFrame: Buffer = Buffer.alloc(0);
  /** Pieces of the unfinished line of each stream. */
  readonly #open = new Map<number, { timestamp: string; bytes: Buffer }>();

  constructor(sink: (line: LogLine) => void) {
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    let data = this.#partialFrame.length > 0 ? Buffer.concat([this.#partialFrame, chunk]) : chunk;
    while (data.length >= HEADER) {
      const end = HEADER + data.readUInt32BE(4);
      if (data.length < end) break;
      this.#frame(data[0] ?? 0, data.subarray(HEADER, end));
      data = data.subarray(end);
    }
    this.#partialFrame = data;
  }

  /** Delivers unfinished lines, as the container has ended. */
  end(): void {
    for (const [stream, { timestamp, bytes }] of this.#open) this.#line(stream, timestamp, bytes);
    this.#open.clear();
  }

  #frame(stream: number, payload: Buffer): void {
    const { timestamp, text } = stamped(payload);
    const open = this.#open.get(stream);
    let bytes = open ? Buffer.concat([open.bytes, text]) : text;
    const first = open?.timestamp ?? timestamp;
    this.#open.delete(stream);
    while (bytes.length > PIECE_BYTES + 1) {
      const cut = characterStart(bytes, PIECE_BYTES);
      this.#line(stream, first, bytes.subarray(0, cut));
      bytes = bytes.subarray(cut);
    }
    if (bytes.at(-1) === 10) this.#line(stream, first, bytes.subarray(0, -1));
    else if (bytes.length > 0) this.#open.set(stream, { timestamp: first, bytes: Buffer.from(bytes) });
  }

  #line(stream: number, timestamp: string, bytes: Buffer): void {
    const text = bytes.toString('utf8');
    const line = parseLine(text.endsWith('\r') ? text.slice(0, -1) : text, stream === STDERR ? 'WARNING' : 'INFO');
    this.#sink({ ...line, timestamp });
  }
}

function stamped(payload: Buffer): { timestamp: string; text: Buffer } {
  const found = STAMP.exec(payload.toString('latin1', 0, STAMP_BYTES));
  if (found === null) return { timestamp: new Date(0).toISOString(), text: payload };
  const [stamp, seconds = '', fraction = '', zone = 'Z'] = found;
  const time = Date.parse(`${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`);
  return { timestamp: new Date(time).toISOString(), text: payload.subarray(stamp.length) };
}
