import type { LogEntry } from '@kethub/contract';

/** Complete lines of a log in the format of a media type, shared by all readers. */
export interface Chunk {
  readonly bytes: Buffer;
  /** Position in the log after these lines. */
  readonly nextByte: number;
}

/** Formats of a line by media type; `nextByte` is the position after the line. */
export const lineFormats = {
  events: (line: string, nextByte: number) => `id: ${nextByte}\ndata: ${line}\n\n`,
  plain: (line: string) => `${(JSON.parse(line) as LogEntry).message}\n`,
  array: (line: string) => `,\n${line}`,
} as const;
export type LineFormat = keyof typeof lineFormats;

/** Bytes of a log at which a chunk ends after the current line. */
const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 10;

/** Divides complete lines that begin at position `from` into chunks. */
export function chunksOf(bytes: Buffer, from: number, format: LineFormat): Chunk[] {
  const chunks: Chunk[] = [];
  let text = '';
  let first = 0;
  for (let start = 0, end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    text += lineFormats[format](bytes.toString('utf8', start, end), from + end + 1);
    start = end + 1;
    const isLast = bytes.indexOf(NEWLINE, start) < 0;
    if (start - first < CHUNK_BYTES && !isLast) continue;
    chunks.push({ bytes: Buffer.from(text), nextByte: from + start });
    text = '';
    first = start;
  }
  return chunks;
}

/** A cache of chunks. When they exceed `mostBytes`, the oldest are removed. */
export class ChunkCache {
  readonly #mostBytes: number;
  readonly #chunks = new Map<string, Chunk>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get(key: string): Chunk | undefined {
    return this.#chunks.get(key);
  }

  set(key: string, chunk: Chunk): void {
    this.delete(key);
    this.#chunks.set(key, chunk);
    this.#bytes += chunk.bytes.length;
    for (const oldest of this.#chunks.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const chunk = this.#chunks.get(key);
    if (chunk === undefined) return;
    this.#chunks.delete(key);
    this.#bytes -= chunk.bytes.length;
  }
}
