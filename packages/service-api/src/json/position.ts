import { isUtf8 } from 'node:buffer';

/** A position in a text; lines and characters count from 1. */
interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The line and column of a byte. Takes one pass over the bytes before it. */
export function positionOf(bytes: Uint8Array, at: number): TextPosition {
  let line = 1;
  let column = 1;
  for (let index = 0; index < at && index < bytes.length; index++) {
    const byte = bytes[index] as number;
    if (byte === 0x0a) {
      line += 1;
      column = 1;
    } else if ((byte & 0xc0) !== 0x80) column += 1;
  }
  return { line, column };
}

/** Bytes that are checked at a time to narrow down the first wrong one. */
const BLOCK = 64 * 1024;

/** Offset of the first byte that is not UTF-8 (RFC 3629), or null. */
export function notUtf8At(bytes: Uint8Array): number | null {
  if (isUtf8(bytes)) return null;
  let from = 0;
  while (from < bytes.length) {
    const to = blockEnd(bytes, from);
    if (!isUtf8(bytes.subarray(from, to))) break;
    from = to;
  }
  while (from < bytes.length) {
    const to = from + characterLength(bytes[from] as number);
    if (to > bytes.length || !isUtf8(bytes.subarray(from, to))) break;
    from = to;
  }
  return from;
}

/** The end of a block that cuts no character in two. */
function blockEnd(bytes: Uint8Array, from: number): number {
  let end = Math.min(bytes.length, from + BLOCK);
  for (let left = 3; left > 0 && end < bytes.length && ((bytes[end] as number) & 0xc0) === 0x80; left--) end -= 1;
  return end;
}

function characterLength(byte: number): number {
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}
