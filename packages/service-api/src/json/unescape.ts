const BACKSLASH = 0x5c;
const U = 0x75;
const SIMPLE: Readonly<Record<number, number>> = {
  0x22: 0x22,
  0x5c: 0x5c,
  0x2f: 0x2f,
  0x62: 8,
  0x66: 12,
  0x6e: 10,
  0x72: 13,
  0x74: 9,
};

/** Characters that the escapes of a string produce and that cannot be stored. */
export interface Escapes {
  readonly nul: boolean;
  /** Half of a surrogate pair alone, which UTF-8 cannot encode. */
  readonly loneSurrogate: boolean;
}

/** Inspects the escapes of a valid string. Positions are without the quotes. */
export function escapesOf(bytes: Uint8Array, from: number, to: number): Escapes {
  let nul = false;
  let loneSurrogate = false;
  let high = false;
  for (let index = from; index < to;) {
    const unit = unitAt(bytes, index);
    const isLow = unit !== null && unit >= 0xdc00 && unit <= 0xdfff;
    loneSurrogate ||= isLow !== high;
    high = unit !== null && unit >= 0xd800 && unit <= 0xdbff;
    nul ||= unit === 0;
    if (unit !== null) index += 6;
    else index += bytes[index] === BACKSLASH ? 2 : 1;
  }
  return { nul, loneSurrogate: loneSurrogate || high };
}

/** Decodes the escapes of a name to UTF-8. A lone surrogate becomes the three bytes that its code would have. */
export function unescaped(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const out = new Uint8Array(to - from);
  let length = 0;
  for (let index = from; index < to;) {
    const unit = unitAt(bytes, index);
    if (unit === null) {
      const escaped = bytes[index] === BACKSLASH;
      const byte = bytes[escaped ? index + 1 : index] as number;
      out[length++] = escaped ? (SIMPLE[byte] ?? byte) : byte;
      index += escaped ? 2 : 1;
      continue;
    }
    index += 6;
    const low = unit >= 0xd800 && unit <= 0xdbff && index < to ? unitAt(bytes, index) : null;
    if (low !== null && low >= 0xdc00 && low <= 0xdfff) {
      index += 6;
      length = write(out, length, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
    } else length = write(out, length, unit);
  }
  return out.subarray(0, length);
}

/** The UTF-16 code unit of an escape `\uXXXX`; null if there is none at `at`. */
function unitAt(bytes: Uint8Array, at: number): number | null {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== U) return null;
  let unit = 0;
  for (let index = at + 2; index < at + 6; index++) unit = (unit << 4) | digit(bytes[index] as number);
  return unit;
}

/** The value of a hexadecimal digit. */
function digit(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
}

function write(out: Uint8Array, at: number, point: number): number {
  if (point < 0x80) {
    out[at] = point;
    return at + 1;
  }
  const more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  out[at] = ([0, 0xc0, 0xe0, 0xf0][more] as number) | (point >> (6 * more));
  for (let left = more - 1, index = at + 1; left >= 0; left--, index++)
    out[index] = 0x80 | ((point >> (6 * left)) & 0x3f);
  return at + more + 1;
}
