import { ACT, plain, STATE, table } from './states.ts';
import { Utf8Check } from './utf8.ts';
import { WatchedMembers, type Member } from './watched-members.ts';

export interface JsonLimits {
  /** Bytes of the whole text. A text beyond one of these limits is refused. */
  bytes: number;
  /** Nesting of objects and arrays. */
  depth: number;
  /** Number of objects and arrays. Default: unlimited. */
  containers?: number;
}

/** Facts about a JSON text, found without building its values. Positions are bytes from its beginning. */
export interface JsonShape {
  kind: 'OBJECT' | 'ARRAY' | 'STRING' | 'NUMBER' | 'WORD';
  /** The range of the value. Around it may be white space or a byte order mark. */
  from: number;
  to: number;
  depth: number;
  containers: number;
  /** The watched members of the outermost object, in their order. A name may occur more than once. */
  members: readonly Member[];
}

/** The reason for a refusal: a clause, as in "the result cannot be kept: …". */
export interface JsonProblem {
  problem: string;
}

const KIND = new Map<number, JsonShape['kind']>([
  [ACT.OPEN_OBJECT, 'OBJECT'],
  [ACT.OPEN_ARRAY, 'ARRAY'],
  [ACT.BEGIN + STATE.STRING, 'STRING'],
  [ACT.BEGIN + STATE.MINUS, 'NUMBER'],
  [ACT.BEGIN + STATE.ZERO, 'NUMBER'],
  [ACT.BEGIN + STATE.INTEGER, 'NUMBER'],
  [ACT.BEGIN + STATE.TRUE, 'WORD'],
  [ACT.BEGIN + STATE.FALSE, 'WORD'],
  [ACT.BEGIN + STATE.NULL, 'WORD'],
]);

const OPENS = new Set(Buffer.from('{['));
/** The byte order mark. */
const MARK = [0xef, 0xbb, 0xbf];

/**
 * Checks a JSON text (RFC 8259, strict UTF-8) by its bytes, in chunks: one pass, no recursion, and no object per value.
 * It takes 2 to 5 ns a byte and a few KiB of memory, whatever the text holds.
 */
export class JsonScanner {
  readonly #limits: Required<JsonLimits>;
  readonly #utf8 = new Utf8Check();
  readonly #watched: WatchedMembers;
  /** The open arrays and objects, outermost first. */
  readonly #open: Uint8Array;
  #depth = 0;
  #deepest = 0;
  #containers = 0;
  #state: number = STATE.VALUE;
  #inName = false;
  /** The depth down to which begin and end of values are reported: 1 within a watched member, otherwise 0. */
  #edge = 0;
  /** The depth at which names are compared, or -1. */
  #names = -1;
  #nameFrom = 0;
  /** Bytes of the earlier chunks. */
  #before = 0;
  #kind: JsonShape['kind'] | null = null;
  #from = 0;
  #to = 0;
  #problem: string | null = null;

  /** @param watched names of members of the outermost object whose positions are wanted. */
  constructor(limits: JsonLimits, watched: readonly string[] = []) {
    this.#limits = { containers: Infinity, ...limits };
    this.#open = new Uint8Array(limits.depth + 1);
    this.#watched = new WatchedMembers(watched);
  }

  /** Takes the next bytes. Returns false when the text is refused; further chunks are not needed. */
  push(chunk: Uint8Array): boolean {
    if (this.#problem !== null) return false;
    const skip = this.#before === 0 && MARK.every((byte, index) => chunk[index] === byte) ? MARK.length : 0;
    if (this.#before + chunk.length > this.#limits.bytes) {
      this.#problem = `it has more than ${this.#limits.bytes} bytes`;
      return false;
    }
    if (!this.#utf8.push(chunk)) {
      this.#problem = 'it is not JSON (it is not valid UTF-8)';
      return false;
    }
    this.#scan(chunk, skip);
    if (this.#inName && this.#depth === this.#names) this.#watched.keepName(chunk, this.#before, this.#nameFrom);
    this.#before += chunk.length;
    return this.#problem === null;
  }

  /** Ends the text and returns the findings. */
  end(): JsonShape | JsonProblem {
    if (this.#problem !== null) return { problem: this.#problem };
    if (isNumber(this.#state) && this.#depth === 0) {
      this.#to = this.#before;
      this.#state = STATE.DONE;
    }
    if (this.#state !== STATE.DONE || this.#kind === null || !this.#utf8.isWhole)
      return { problem: `it is not JSON (it ends after ${this.#before} bytes, before its value does)` };
    return {
      kind: this.#kind,
      from: this.#from,
      to: this.#to,
      depth: this.#deepest,
      containers: this.#containers,
      members: this.#watched.found,
    };
  }

  /**
   * Processes nearly every byte, inline, on local variables and with numbers: with methods and fields it takes five
   * times as long. Only events of the outermost object are passed on.
   */
  #scan(chunk: Uint8Array, skip: number): void {
    const end = chunk.length;
    const open = this.#open;
    const before = this.#before;
    const most = this.#limits.depth;
    const watched = this.#watched;
    let state = this.#state;
    let depth = this.#depth;
    let deepest = this.#deepest;
    let containers = this.#containers;
    let inName = this.#inName;
    let edge = this.#edge;
    let names = this.#names;
    let nameFrom = this.#nameFrom;
    let index = skip;
    for (; index < end; index++) {
      if (state === 7) {
        while (index < end && plain[chunk[index] as number] === 1) index++;
        if (index === end) break;
      }
      const next = table[(state << 8) | (chunk[index] as number)] as number;
      if (next < 64) {
        state = next;
        continue;
      }
      switch (next) {
        case 64: // OPEN_OBJECT
        case 65: // OPEN_ARRAY
          if (depth <= edge) names = this.#begin(next, depth, before + index);
          if (depth === most) state = 31;
          else {
            containers += 1;
            depth += 1;
            if (depth > deepest) deepest = depth;
            open[depth] = next;
            state = next - 62; // FIRST_NAME, FIRST_ELEMENT
          }
          break;
        case 66: // CLOSE_OBJECT
        case 67: // CLOSE_ARRAY
          if (open[depth] === next - 2) {
            depth -= 1;
            state = depth > 0 ? 5 : 6;
            if (depth <= edge) this.#endValue(depth, before + index + 1);
          } else state = 31;
          break;
        case 68: // COMMA
          state = open[depth] === 64 ? 1 : 0;
          if (depth === names) watched.comma(before + index);
          break;
        case 69: // COLON
          state = 0;
          break;
        case 70: // OPEN_NAME
          inName = true;
          state = 7;
          if (depth === names) nameFrom = before + index;
          break;
        case 71: // CLOSE_STRING
          if (inName) {
            inName = false;
            state = 4;
            if (depth === names) edge = watched.closeName(chunk, before, nameFrom, before + index + 1) ? 1 : 0;
            break;
          }
          state = depth > 0 ? 5 : 6;
          if (depth <= edge) this.#endValue(depth, before + index + 1);
          break;
        case 72: // END_WORD
          state = depth > 0 ? 5 : 6;
          if (depth <= edge) this.#endValue(depth, before + index + 1);
          break;
        case 73: // END_NUMBER
          state = depth > 0 ? 5 : 6;
          if (depth <= edge) this.#endValue(depth, before + index);
          index -= 1; // the next round looks at the byte after it again
          break;
        case 74: // REFUSE
          state = 31;
          break;
        default: // a string, a number or a word begins
          if (depth <= edge) this.#begin(next, depth, before + index);
          state = next - 80;
      }
      if (state === 31) break;
    }
    this.#state = state;
    this.#depth = depth;
    this.#deepest = deepest;
    this.#containers = containers;
    this.#inName = inName;
    this.#edge = edge;
    this.#names = names;
    this.#nameFrom = nameFrom;
    if (state === STATE.REFUSED) this.#refuse(chunk, index);
    else if (containers > this.#limits.containers)
      this.#problem = `it has more than ${this.#limits.containers} objects and arrays`;
  }

  /** Starts a value. Returns the depth at which names are compared, or -1. */
  #begin(act: number, depth: number, at: number): number {
    if (depth === 1) this.#watched.beginValue(at);
    else {
      this.#kind = KIND.get(act) ?? null;
      this.#from = at;
      this.#names = act === ACT.OPEN_OBJECT && this.#watched.isUsed ? 1 : -1;
    }
    return this.#names;
  }

  #endValue(depth: number, to: number): void {
    if (depth === 0) this.#to = to;
    else if (!this.#watched.endValue(to))
      this.#problem = 'it names a member that is taken by the platform far too often';
  }

  #refuse(chunk: Uint8Array, index: number): void {
    const byte = chunk[index] as number;
    if (this.#depth === this.#limits.depth && table[byte] !== ACT.REFUSE && OPENS.has(byte)) {
      this.#problem = `it is nested deeper than ${this.#limits.depth} levels, at byte ${this.#before + index}`;
      return;
    }
    const shown =
      byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `byte 0x${byte.toString(16).padStart(2, '0')}`;
    this.#problem = `it is not JSON (unexpected ${shown} at byte ${this.#before + index})`;
  }
}

function isNumber(state: number): boolean {
  return state === STATE.ZERO || state === STATE.INTEGER || state === STATE.FRACTION || state === STATE.EXPONENT_DIGITS;
}

/** Checks a text in memory at once. For short texts. */
export function inspectJson(
  bytes: Uint8Array,
  limits: JsonLimits,
  watched: readonly string[] = [],
): JsonShape | JsonProblem {
  const scanner = new JsonScanner(limits, watched);
  scanner.push(bytes);
  return scanner.end();
}
