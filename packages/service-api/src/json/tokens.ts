import { isExactNumber } from './exact.ts';
import type { JsonListener } from './scanner.ts';
import { SeenNames } from './seen-names.ts';
import { escapesOf, unescaped } from './unescape.ts';

/** The span of a value: offsets of its first byte and of the byte after it. */
export interface JsonSpan {
  readonly from: number;
  readonly to: number;
}

/** An object whose member `ref` marks a data pool. */
export interface MarkedObject extends JsonSpan {
  /** JSON Pointer (RFC 6901). */
  readonly pointer: string;
  /** Number of objects and lists around it. */
  readonly depth: number;
}

const BACKSLASH = 0x5c;
const REF = Buffer.from('ref');
const MARKS = [Buffer.from('DATAPOOL'), Buffer.from('datapool')];
/** Characters of a number up to which it is an exact double, unless it has an exponent. Longer ones are checked. */
const EXACT_CHARACTERS = 15;
/** Different references to data pools; a text with more is refused. */
const MOST_MARKED = 1_000;
/** Bytes of a reference that are compared with others; a longer reference always counts as different. */
const MARKED_BYTES = 300;
/**
 * Bytes of a name in a pointer, enough for any file name with every character escaped; a longer name is shown as "…".
 */
const NAME_BYTES = 1_600;

/** A member of the outermost object. */
export interface JsonMember extends JsonSpan {
  readonly name: string;
  /** Span to cut out, with a comma, so that the rest is an object without this member. */
  readonly without: JsonSpan;
}

/** Checks of a text in addition to its grammar. */
export interface TokenRules {
  /** Names of members of the outermost object whose spans are wanted. */
  readonly watched: readonly string[];
  /** Refuse what the platform could not store unchanged: U+0000, lone surrogates, numbers no double holds. */
  readonly storable: boolean;
  /** The reader of the text keeps every digit, so numbers that no double holds are accepted. */
  readonly exactNumbers?: boolean;
  /** Collect the objects that refer to data pools. */
  readonly marked: boolean;
}

/** Follows the tokens of a text: refuses repeated names, and keeps track of the JSON Pointer. */
export class JsonTokens implements JsonListener {
  readonly marked: MarkedObject[] = [];
  readonly members: JsonMember[] = [];
  kind: 'OBJECT' | 'ARRAY' | 'OTHER' = 'OTHER';
  /** Span of the whole value, without blanks around it. */
  from = 0;
  to = 0;
  /** Levels of nested objects and lists. */
  depth = 0;
  readonly #bytes: Uint8Array;
  readonly #rules: TokenRules;
  readonly #seen = new SeenNames();
  readonly #isObject: boolean[] = [];
  readonly #starts: number[] = [];
  readonly #hasMark: boolean[] = [];
  /** For each open object the span of the current name; for each list the index of the current element. */
  readonly #nameFrom: number[] = [];
  readonly #nameTo: number[] = [];
  readonly #index: number[] = [];
  #depth = 0;
  #isRef = false;
  /** Offset of the first backslash after the start of the last search for one. */
  #backslash = -1;
  readonly #watched: readonly (readonly [name: string, bytes: Uint8Array])[];
  #watchedName: string | null = null;
  #valueFrom = 0;
  /** Offset of the comma before the current member; 0 for the first. */
  #commaAt = 0;
  readonly #markedTexts = new Set<string>();

  constructor(bytes: Uint8Array, rules: TokenRules) {
    this.#bytes = bytes;
    this.#rules = rules;
    this.#watched = rules.watched.map((name) => [name, Buffer.from(name)]);
  }

  open(isObject: boolean, at: number): null {
    if (this.#depth < 2) this.#begin(at);
    if (this.#depth === 0) this.kind = isObject ? 'OBJECT' : 'ARRAY';
    this.#depth += 1;
    if (this.#depth > this.depth) this.depth = this.#depth;
    this.#isObject[this.#depth] = isObject;
    this.#starts[this.#depth] = at;
    this.#hasMark[this.#depth] = false;
    this.#nameTo[this.#depth] = 0;
    this.#index[this.#depth] = 0;
    this.#isRef = false;
    if (isObject) this.#seen.open();
    return null;
  }

  close(to: number): string | null {
    const isMarked = this.#hasMark[this.#depth];
    const from = this.#starts[this.#depth] as number;
    if (this.#isObject[this.#depth]) this.#seen.close();
    this.#depth -= 1;
    if (this.#depth < 2) this.#end(to);
    if (!isMarked) return null;
    if (this.#depth > 1 && this.#isKnown(from, to)) return null;
    this.marked.push({ from, to, pointer: this.pointer(), depth: this.#depth });
    return this.marked.length <= MOST_MARKED ? null : `it refers to data pools more than ${MOST_MARKED} times`;
  }

  comma(at: number): void {
    if (this.#depth === 1) this.#nextMember(at);
    this.#index[this.#depth] = (this.#index[this.#depth] ?? 0) + 1;
  }

  name(from: number, to: number): string | null {
    this.#nameFrom[this.#depth] = from;
    this.#nameTo[this.#depth] = to;
    const escaped = this.#isEscaped(from, to);
    const bytes = escaped ? unescaped(this.#bytes, from + 1, to - 1) : this.#bytes;
    const [begin, end] = escaped ? [0, bytes.length] : [from + 1, to - 1];
    this.#isRef = this.#rules.marked && isSame(REF, bytes, begin, end);
    if (this.#depth === 1)
      this.#watchedName = this.#watched.find(([, name]) => isSame(name, bytes, begin, end))?.[0] ?? null;
    if (this.#seen.add(bytes, begin, end)) return 'it has a member twice in one object';
    return escaped ? this.#storable(from, to) : null;
  }

  string(from: number, to: number): string | null {
    const escaped = this.#isEscaped(from, to);
    if (this.#isRef) this.#mark(from, to, escaped);
    this.#plainValue(from, to);
    return escaped ? this.#storable(from, to) : null;
  }

  word(from: number, to: number): null {
    this.#plainValue(from, to);
    return null;
  }

  number(from: number, to: number): string | null {
    this.#plainValue(from, to);
    if (!this.#rules.storable || this.#rules.exactNumbers === true || to - from < 3) return null;
    const text = String.fromCharCode(...this.#bytes.subarray(from, Math.min(to, from + 1_000)));
    if (text.length <= EXACT_CHARACTERS && !/e/i.test(text)) return null;
    if (to - from < 1_000 && isExactNumber(text)) return null;
    return 'it holds a number that would lose digits here; write it with fewer digits, or as a text';
  }

  /** JSON Pointer to the current value. */
  pointer(): string {
    let pointer = '';
    for (let depth = 1; depth <= this.#depth; depth++) {
      if (!this.#isObject[depth]) pointer += `/${this.#index[depth]}`;
      else if ((this.#nameTo[depth] ?? 0) > 0) {
        pointer += `/${this.#nameAt(depth).replaceAll('~', '~0').replaceAll('/', '~1')}`;
      }
    }
    return pointer;
  }

  #plainValue(from: number, to: number): void {
    this.#isRef = false;
    if (this.#depth > 1) return;
    this.#begin(from);
    this.#end(to);
  }

  #begin(at: number): void {
    if (this.#depth === 0) this.from = at;
    else this.#valueFrom = at;
  }

  #end(to: number): void {
    if (this.#depth === 0) this.to = to;
    else if (this.#watchedName !== null) {
      const from = this.#commaAt || (this.#nameFrom[1] as number);
      const without = { from, to };
      this.members.push({ name: this.#watchedName, from: this.#valueFrom, to, without });
    }
    this.#watchedName = null;
  }

  /** Assigns a comma to each watched member: the one after it to the first member, the one before it to others. */
  #nextMember(at: number): void {
    const first = this.members[0];
    if (this.#commaAt === 0 && first) this.members[0] = { ...first, without: { from: first.without.from, to: at + 1 } };
    this.#commaAt = at;
  }

  #nameAt(depth: number): string {
    const [from = 0, to = 0] = [this.#nameFrom[depth], this.#nameTo[depth]];
    if (to - from > NAME_BYTES) return '…';
    return JSON.parse(Buffer.from(this.#bytes.subarray(from, to)).toString()) as string;
  }

  /** Returns whether the same reference was seen before. A list of tasks may repeat one often. */
  #isKnown(from: number, to: number): boolean {
    if (to - from > MARKED_BYTES) return false;
    const text = Buffer.from(this.#bytes.subarray(from, to)).toString();
    if (this.#markedTexts.has(text)) return true;
    this.#markedTexts.add(text);
    return false;
  }

  #isEscaped(from: number, to: number): boolean {
    if (this.#backslash < from) {
      const at = this.#bytes.indexOf(BACKSLASH, from);
      this.#backslash = at < 0 ? Infinity : at;
    }
    return this.#backslash < to;
  }

  #mark(from: number, to: number, escaped: boolean): void {
    const bytes = escaped ? unescaped(this.#bytes, from + 1, to - 1) : this.#bytes;
    const [begin, end] = escaped ? [0, bytes.length] : [from + 1, to - 1];
    if (MARKS.some((mark) => isSame(mark, bytes, begin, end))) this.#hasMark[this.#depth] = true;
  }

  #storable(from: number, to: number): string | null {
    if (!this.#rules.storable) return null;
    const { nul, loneSurrogate } = escapesOf(this.#bytes, from + 1, to - 1);
    if (nul) return 'it holds the character U+0000, which cannot be stored; leave it out';
    return loneSurrogate ? 'it holds half of a surrogate pair, which is no character; leave it out' : null;
  }
}

function isSame(expected: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from !== expected.length) return false;
  return expected.every((byte, index) => bytes[from + index] === byte);
}
