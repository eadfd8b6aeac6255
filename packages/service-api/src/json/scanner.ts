/** The reason why a text is refused: a clause, and the offset of the byte. */
export interface JsonProblem {
  readonly problem: string;
  readonly at: number;
  /** True if the text violates the grammar of JSON. */
  readonly isGrammar: boolean;
}

/**
 * Receives every token. Positions are offsets; those of names and strings include the quotes. A function that returns a
 * string refuses the text for this reason.
 */
export interface JsonListener {
  open(isObject: boolean, at: number): string | null;
  close(to: number): string | null;
  comma(at: number): void;
  name(from: number, to: number): string | null;
  string(from: number, to: number): string | null;
  number(from: number, to: number): string | null;
  /** `true`, `false` or `null`. */
  word(from: number, to: number): string | null;
}

const VALUE = 0;
const FIRST_ELEMENT = 1;
const FIRST_NAME = 2;
const NAME = 3;
const COLON = 4;
const AFTER = 5;
const DONE = 6;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const WORDS = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]));
/** 1 for bytes that a string may contain unescaped. UTF-8 is checked elsewhere. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH),
);
const ESCAPES = new Set(Buffer.from('"\\/bfnrt'));

/**
 * Scans a JSON text (RFC 8259) in memory, in as many steps as the caller likes. Builds no value and does not recurse.
 * The runtime has another scanner for results, which works on a stream and reports no tokens.
 */
export class TokenScanner {
  readonly #bytes: Uint8Array;
  readonly #most: number;
  readonly #listener: JsonListener;
  readonly #isObject: boolean[] = [];
  #depth = 0;
  #state = VALUE;
  #at: number;
  #problem: JsonProblem | null = null;

  /** `depth` is the most levels of nested objects and lists; a deeper text is refused. */
  constructor(bytes: Uint8Array, depth: number, listener: JsonListener) {
    this.#bytes = bytes;
    this.#most = depth;
    this.#listener = listener;
    // A byte order mark is skipped (RFC 8259 §8.1).
    this.#at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  }

  /** Scans the tokens that begin before `until`. Returns whether there are more. */
  run(until: number): boolean {
    const bytes = this.#bytes;
    const end = Math.min(until, bytes.length);
    while (this.#at < end && this.#problem === null) {
      const byte = bytes[this.#at] as number;
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) this.#at += 1;
      else this.#token(byte);
    }
    return this.#problem === null && this.#at < bytes.length;
  }

  /** Ends the scan after the last step. Returns the reason for a refusal, or null. */
  end(): JsonProblem | null {
    if (this.#problem === null && this.#state !== DONE)
      this.#fail('it is not JSON (it ends before its value does)', this.#bytes.length, true);
    return this.#problem;
  }

  #token(byte: number): void {
    switch (this.#state) {
      case AFTER:
        if (byte !== COMMA) return this.#close(byte);
        this.#listener.comma(this.#at);
        this.#at += 1;
        this.#state = this.#isObject[this.#depth] ? NAME : VALUE;
        return;
      case COLON:
        if (byte !== 0x3a) return this.#unexpected(this.#at);
        this.#at += 1;
        this.#state = VALUE;
        return;
      case NAME:
      case FIRST_NAME:
        if (byte === QUOTE) return this.#name();
        return this.#state === FIRST_NAME ? this.#close(byte) : this.#unexpected(this.#at);
      case FIRST_ELEMENT:
        return byte === 0x5d ? this.#close(byte) : this.#value(byte);
      case VALUE:
        return this.#value(byte);
      default:
        return this.#unexpected(this.#at);
    }
  }

  #value(byte: number): void {
    const from = this.#at;
    if (byte === 0x7b || byte === 0x5b) this.#open(byte === 0x7b);
    else if (byte === QUOTE) {
      const to = this.#stringEnd(from);
      if (to > 0) this.#ended(this.#listener.string(from, to), from, to);
    } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const to = this.#numberEnd(from);
      if (to > 0) this.#ended(this.#listener.number(from, to), from, to);
    } else {
      const word = WORDS.get(byte);
      const wrong = word?.findIndex((letter, index) => this.#bytes[from + index] !== letter) ?? 0;
      if (!word || wrong >= 0) return this.#unexpected(from + Math.max(0, wrong));
      this.#ended(this.#listener.word(from, from + word.length), from, from + word.length);
    }
  }

  #name(): void {
    const from = this.#at;
    const to = this.#stringEnd(from);
    if (to < 0) return;
    this.#judge(this.#listener.name(from, to), from);
    this.#at = to;
    this.#state = COLON;
  }

  #open(isObject: boolean): void {
    if (this.#depth === this.#most) return this.#fail(`it is nested deeper than ${this.#most} levels`, this.#at, false);
    this.#depth += 1;
    this.#isObject[this.#depth] = isObject;
    this.#judge(this.#listener.open(isObject, this.#at), this.#at);
    this.#at += 1;
    this.#state = isObject ? FIRST_NAME : FIRST_ELEMENT;
  }

  #close(byte: number): void {
    if (this.#depth === 0 || byte !== (this.#isObject[this.#depth] ? 0x7d : 0x5d)) return this.#unexpected(this.#at);
    this.#depth -= 1;
    this.#ended(this.#listener.close(this.#at + 1), this.#at, this.#at + 1);
  }

  #ended(problem: string | null, from: number, to: number): void {
    this.#judge(problem, from);
    this.#at = to;
    this.#state = this.#depth === 0 ? DONE : AFTER;
  }

  /** The end of the string that begins at `from`; -1 if it is malformed. */
  #stringEnd(from: number): number {
    const bytes = this.#bytes;
    let at = from + 1;
    for (;;) {
      while (PLAIN[bytes[at] as number] === 1) at += 1;
      const byte = bytes[at];
      if (byte === QUOTE) return at + 1;
      if (byte !== BACKSLASH) return this.#broken(at);
      const escape = bytes[at + 1] ?? 0;
      if (escape === 0x75) {
        for (let index = at + 2; index < at + 6; index++) if (!isHex(bytes[index])) return this.#broken(index);
        at += 6;
      } else if (ESCAPES.has(escape)) at += 2;
      else return this.#broken(at + 1);
    }
  }

  /** The end of the number that begins at `from`; -1 if it is malformed. */
  #numberEnd(from: number): number {
    const bytes = this.#bytes;
    let at = bytes[from] === 0x2d ? from + 1 : from;
    if (!isDigit(bytes[at])) return this.#broken(at);
    at = bytes[at] === 0x30 ? at + 1 : this.#digitsEnd(at);
    if (bytes[at] === 0x2e) {
      if (!isDigit(bytes[at + 1])) return this.#broken(at + 1);
      at = this.#digitsEnd(at + 1);
    }
    if (bytes[at] === 0x65 || bytes[at] === 0x45) {
      const sign = bytes[at + 1];
      const digits = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
      if (!isDigit(bytes[digits])) return this.#broken(digits);
      at = this.#digitsEnd(digits);
    }
    // "01" and "1x" are refused by the check of what follows a value.
    return at;
  }

  #digitsEnd(from: number): number {
    let at = from;
    while (isDigit(this.#bytes[at])) at += 1;
    return at;
  }

  #broken(at: number): -1 {
    this.#unexpected(at);
    return -1;
  }

  #unexpected(at: number): void {
    const byte = this.#bytes[at];
    if (byte === undefined)
      return this.#fail('it is not JSON (it ends before its value does)', this.#bytes.length, true);
    const isShown = byte > 0x20 && byte < 0x7f;
    const shown = isShown ? `"${String.fromCharCode(byte)}"` : `byte 0x${byte.toString(16).padStart(2, '0')}`;
    this.#fail(`it is not JSON (${shown} cannot stand there)`, at, true);
  }

  #judge(problem: string | null, at: number): void {
    if (problem !== null) this.#fail(problem, at, false);
  }

  /** Refuses the text. The first reason is reported. */
  #fail(problem: string, at: number, isGrammar: boolean): void {
    this.#problem ??= { problem, at, isGrammar };
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function isHex(byte: number | undefined): boolean {
  return isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}
