import { randomBytes } from 'node:crypto';

/** Names of an object that are compared one by one. With more names, the object uses the hash table. */
const FEW = 8;
/** Slots of the first hash table; it doubles when three quarters of them are used. */
const FIRST_SLOTS = 1_024;

/**
 * Finds repeated names of an object, in O(1) time and 8 bytes of memory for each name. It stores a keyed hash of 64
 * bits of each name: two different names are mistaken for the same with a probability of 2^-64.
 */
export class SeenNames {
  readonly #seed = randomBytes(8).readUInt32LE();
  readonly #otherSeed = randomBytes(8).readUInt32LE();
  /** Hashes of the open objects, outermost first: at most FEW names of two words each. */
  #few = new Int32Array(64 * FEW * 2);
  /** Number of names so far, for each open object. */
  readonly #counts: number[] = [];
  /** Serial number of each open object, which is part of the hash in the table. */
  readonly #objects: number[] = [];
  #depth = -1;
  #object = 0;
  #table: Int32Array = new Int32Array();
  #used = 0;

  open(): void {
    this.#depth += 1;
    this.#counts[this.#depth] = 0;
    this.#objects[this.#depth] = ++this.#object;
    if ((this.#depth + 1) * FEW * 2 > this.#few.length) {
      const more = new Int32Array(this.#few.length * 2);
      more.set(this.#few);
      this.#few = more;
    }
  }

  close(): void {
    this.#depth -= 1;
  }

  /** Adds a name, in UTF-8, to the innermost object. Returns whether the object has it already. */
  add(bytes: Uint8Array, from: number, to: number): boolean {
    let one = this.#seed;
    let other = this.#otherSeed;
    for (let index = from; index < to; index++) {
      const byte = bytes[index] as number;
      one = Math.imul(one ^ byte, 0x9e3779b1);
      one ^= one >>> 15;
      other = Math.imul(other ^ byte, 0x85ebca6b);
      other ^= other >>> 13;
    }
    return this.#addHash(mixed(one ^ (to - from)), mixed(other));
  }

  #addHash(one: number, other: number): boolean {
    const count = this.#counts[this.#depth] as number;
    this.#counts[this.#depth] = count + 1;
    if (count > FEW) return this.#addToTable(one, other);
    const start = this.#depth * FEW * 2;
    const few = this.#few;
    for (let index = start; index < start + count * 2; index += 2)
      if (few[index] === one && few[index + 1] === other) return true;
    if (count < FEW) {
      few[start + count * 2] = one;
      few[start + count * 2 + 1] = other;
      return false;
    }
    for (let index = start; index < start + FEW * 2; index += 2)
      this.#addToTable(few[index] as number, few[index + 1] as number);
    return this.#addToTable(one, other);
  }

  #addToTable(one: number, other: number): boolean {
    if ((this.#used + 1) * 8 > this.#table.length * 3) this.#grow();
    const object = Math.imul(this.#objects[this.#depth] as number, 0x9e3779b1);
    // Zero marks a free slot.
    return this.#put(mixed(one ^ object) || 1, (other + object) | 0);
  }

  #put(one: number, other: number): boolean {
    const table = this.#table;
    const mask = table.length / 2 - 1;
    for (let slot = one & mask; ; slot = (slot + 1) & mask) {
      const there = table[slot * 2] as number;
      if (there === one && table[slot * 2 + 1] === other) return true;
      if (there !== 0) continue;
      table[slot * 2] = one;
      table[slot * 2 + 1] = other;
      this.#used += 1;
      return false;
    }
  }

  #grow(): void {
    const before = this.#table;
    this.#table = new Int32Array(Math.max(FIRST_SLOTS * 2, before.length * 2));
    this.#used = 0;
    for (let index = 0; index < before.length; index += 2)
      if (before[index] !== 0) this.#put(before[index] as number, before[index + 1] as number);
  }
}

/** The finalizer of MurmurHash3: every bit of the result depends on every bit of the word. */
function mixed(word: number): number {
  let hash = word;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
