import type { ServerResponse } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';

/** Chunks that are remembered to be freed: 16 MB of a child's output. */
const MOST_PASSED = 256;

/**
 * Frees the memory of a chunk at once. The garbage collector would free it too. But it collects the whole heap every 32 MB
 * of such memory, which takes most of the time of a large transfer. Nobody else may keep the chunk.
 */
export function releaseMemory({ buffer, byteLength }: Buffer): void {
  // A part of a larger buffer may have neighbours.
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}

/** Passes an answer on and frees the memory of each chunk that the socket has taken. Nobody else may keep the chunks. */
export class ReleaseSent extends Transform {
  readonly #answer: ServerResponse;
  #passed: Buffer[] = [];

  constructor(answer: ServerResponse) {
    super();
    this.#answer = answer;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    // Nothing waits here or in the answer, so the kernel has all that was passed on.
    if (this.readableLength === 0 && this.#answer.writableLength === 0) {
      for (const passed of this.#passed) releaseMemory(passed);
      this.#passed = [];
    }
    // A slow client always leaves something waiting. What it has not taken is left to the garbage collector.
    if (this.#passed.length === MOST_PASSED) this.#passed = [];
    this.#passed.push(chunk);
    done(null, chunk);
  }
}
