import { isUtf8 } from 'node:buffer';

/** Checks that chunks of bytes are valid UTF-8. */
export class Utf8Check {
  /** The beginning of a character that continues in the next chunk. */
  #begun: number[] = [];

  /** Returns false from the first invalid byte on. */
  push(chunk: Uint8Array): boolean {
    let from = 0;
    if (this.#begun.length > 0) {
      const missing = lengthFrom(this.#begun[0] ?? 0) - this.#begun.length;
      from = Math.min(missing, chunk.length);
      const character = [...this.#begun, ...chunk.subarray(0, from)];
      this.#begun = from < missing ? character : [];
      if (from === missing && !isUtf8(Uint8Array.from(character))) return false;
      if (from < missing) return true;
    }
    const to = wholeUntil(chunk, from);
    this.#begun = [...chunk.subarray(to)];
    return isUtf8(chunk.subarray(from, to));
  }

  /** True if the last character is complete. */
  get isWhole(): boolean {
    return this.#begun.length === 0;
  }
}

/** The start of an incomplete last character, otherwise the end of the chunk. */
function wholeUntil(chunk: Uint8Array, from: number): number {
  for (let index = chunk.length - 1; index >= Math.max(from, chunk.length - 3); index--) {
    const byte = chunk[index] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    return chunk.length - index < lengthFrom(byte) ? index : chunk.length;
  }
  return chunk.length;
}

/** Bytes of the character that begins with this byte. */
function lengthFrom(byte: number): number {
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}
