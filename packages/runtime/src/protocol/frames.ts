/** A frame: two lengths (u32, big endian), a JSON header, and bytes that are not parsed (an input of megabytes). */
export interface Frame {
  header: unknown;
  body: Buffer;
}

const LENGTHS = 8;
const EMPTY = Buffer.alloc(0);

export function encodeFrame(header: unknown, body: Buffer = EMPTY): Buffer {
  const text = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(LENGTHS);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  return Buffer.concat([lengths, text, body]);
}

/** Assembles frames from the chunks of a socket. Chunks are joined once per frame, however many there are. */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void;
  #chunks: Buffer[] = [];
  #available = 0;
  #needed = LENGTHS;

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#available += chunk.length;
    if (this.#available < this.#needed) return;
    let data = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    for (;;) {
      this.#needed = data.length < LENGTHS ? LENGTHS : LENGTHS + data.readUInt32BE(0) + data.readUInt32BE(4);
      if (data.length < this.#needed) break;
      const bodyAt = LENGTHS + data.readUInt32BE(0);
      const header: unknown = JSON.parse(data.toString('utf8', LENGTHS, bodyAt));
      this.#onFrame({ header, body: data.subarray(bodyAt, this.#needed) });
      data = data.subarray(this.#needed);
    }
    this.#chunks = data.length > 0 ? [data] : [];
    this.#available = data.length;
  }
}
