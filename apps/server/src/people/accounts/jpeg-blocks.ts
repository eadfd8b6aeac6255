/** A Huffman table, indexed by 16 bits: code length in the upper byte, symbol in the lower one; 0 for no code. */
export type Codes = Uint16Array;

/** A component of the frame, with the state that its blocks need. */
export interface Component {
  /** Steps of quantisation, in zigzag order. */
  readonly steps: Uint16Array;
  /** Progressive: two words for each block, one bit for each coefficient that is not zero. */
  readonly nonzero: Uint32Array;
  /** Prediction of the next DC coefficient. */
  dc: number;
}

/** Coefficients that a progressive scan holds. */
interface Band {
  readonly first: number;
  readonly last: number;
  readonly refines: boolean;
}

/** Reads one block, number `index` of its component. False: an encoder writes no such block. */
export type ReadBlock = (bits: Bits, index: number) => boolean;

/** Reads the DC difference, then AC coefficients with the zeros before them, until EOB or the last one (T.81 F.2.2). */
export function sequentialBlock(component: Component, dc: Codes, ac: Codes): ReadBlock {
  const { steps } = component;
  const step = steps[0] ?? 0;
  // Samples lie in ±128 (A.3.1). Encoders move DC by some steps to save bits, and white by up to 31 against ringing.
  const low = -132 - step / 8;
  const high = 131 + step / 8 + Math.min(31, 2 * step);
  return (bits) => {
    const size = bits.symbol(dc);
    if (size < 0 || size > 11) return false;
    component.dc += bits.value(size);
    const mean = (component.dc * step) / 8;
    let energy = 0;
    let k = 1;
    while (k < 64) {
      const symbol = bits.symbol(ac);
      if (symbol === 0) break;
      if (symbol < 0 || ((symbol & 15) === 0 && symbol !== 0xf0)) return false;
      k += symbol >> 4;
      if ((symbol & 15) > 0) energy += ((Math.abs(bits.value(symbol & 15)) - 0.5) * (steps[k] ?? 0)) ** 2;
      k += 1;
    }
    // The DCT keeps energy (A.3.3): that of AC is 64 variances, which have a bound between `low` and `high`.
    return k <= 64 && mean >= low && mean <= high && energy <= 64 * (high - mean) * (mean - low);
  };
}

/** The reader of a progressive scan of this band; null when the decoder refuses it. */
export function progressiveBlock(component: Component, dc?: Codes, ac?: Codes, band?: Band): ReadBlock | null {
  if (!band) return null;
  const { first, last, refines } = band;
  if (first === 0) {
    if (last > 0) return null;
    if (refines) return (bits) => bits.skip(1);
    return dc ? (bits) => bits.skip(bits.symbol(dc)) : null;
  }
  if (!ac || last < first || last > 63) return null;
  return refines ? refinedBand(component.nonzero, ac, first, last) : firstBand(component.nonzero, ac, first, last);
}

/** Reads like a sequential block, but EOB may end the band in many blocks (G.1.2.2). */
function firstBand(nonzero: Uint32Array, ac: Codes, first: number, last: number): ReadBlock {
  return (bits, index) => {
    let k = first;
    while (bits.run === 0 && k <= last) {
      const symbol = bits.symbol(ac);
      if (symbol < 0) return false;
      const [zeros, size] = [symbol >> 4, symbol & 15];
      if (size === 0 && zeros < 15) {
        bits.run = (1 << zeros) + bits.take(zeros);
        break;
      }
      k += zeros;
      if (k > last) return false;
      if (size > 0) mark(nonzero, index, k);
      bits.skip(size);
      k += 1;
    }
    if (bits.run > 0) bits.run -= 1;
    return true;
  };
}

/** Reads new coefficients of ±1, and a correction bit of each older one that is passed (G.1.2.3). */
function refinedBand(nonzero: Uint32Array, ac: Codes, first: number, last: number): ReadBlock {
  return (bits, index) => {
    let k = first;
    while (bits.run === 0 && k <= last) {
      const symbol = bits.symbol(ac);
      const [zeros, size] = [symbol >> 4, symbol & 15];
      if (symbol < 0 || size > 1) return false;
      if (size === 0 && zeros < 15) {
        bits.run = (1 << zeros) + bits.take(zeros);
        break;
      }
      bits.skip(size);
      for (let left = zeros; k <= last; k++) {
        if (isMarked(nonzero, index, k)) bits.skip(1);
        else if (left-- === 0) break;
      }
      if (k > last) return false;
      if (size > 0) mark(nonzero, index, k);
      k += 1;
    }
    if (bits.run === 0) return true;
    bits.run -= 1;
    if (nonzero[2 * index] || nonzero[2 * index + 1])
      for (; k <= last; k++) if (isMarked(nonzero, index, k)) bits.skip(1);
    return true;
  };
}

function mark(nonzero: Uint32Array, index: number, k: number): void {
  const at = 2 * index + (k >> 5);
  nonzero[at] = (nonzero[at] ?? 0) | (1 << (k & 31));
}

function isMarked(nonzero: Uint32Array, index: number, k: number): boolean {
  return ((nonzero[2 * index + (k >> 5)] ?? 0) & (1 << (k & 31))) !== 0;
}

/** The bits between two markers, without the zero byte that follows each 0xFF there (F.1.2.3). */
export class Bits {
  readonly #file: Buffer;
  readonly #data: Uint8Array;
  #end = 0;
  #position = 0;
  /** Blocks that the last EOBRUN still covers (G.1.2.2). */
  run = 0;

  constructor(file: Buffer) {
    this.#file = file;
    this.#data = new Uint8Array(file.length);
  }

  /** Below zero after a read beyond the end, which gives zeros or older data. */
  get left(): number {
    return this.#end - this.#position;
  }

  /** Loads the bits between `from` and the next marker, and returns the position of that marker. */
  load(from: number): number {
    let [at, length] = [from, 0];
    for (; at < this.#file.length; at++) {
      const byte = this.#file[at] ?? 0;
      if (byte === 0xff && this.#file[at + 1] !== 0) break;
      this.#data[length++] = byte;
      if (byte === 0xff) at += 1;
    }
    this.#position = 0;
    this.#end = length * 8;
    return at;
  }

  /** The next symbol; -1 when the bits begin no code. */
  symbol(codes: Codes): number {
    const found = codes[this.#peek()] ?? 0;
    this.#position += found >> 8;
    return found === 0 ? -1 : found & 0xff;
  }

  /** The next `size` bits, at most 15, as a coefficient: those below half are negative (F.2.2.1, EXTEND). */
  value(size: number): number {
    const taken = this.take(size);
    return size === 0 || taken >> (size - 1) ? taken : taken - (1 << size) + 1;
  }

  take(count: number): number {
    const taken = this.#peek() >> (16 - count);
    this.#position += count;
    return taken;
  }

  /** Skips the bits of a value. False when no value has so many. */
  skip(count: number): boolean {
    this.#position += count;
    return count >= 0 && count < 16;
  }

  #peek(): number {
    const at = this.#position >> 3;
    const data = this.#data;
    const three = ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
    return (three >> (8 - (this.#position & 7))) & 0xffff;
  }
}
