import { setImmediate as nextTurn } from 'node:timers/promises';
import { rememberText } from '@kethub/feel';
import { limits } from '@kethub/contract/limits';
import { TokenScanner, type JsonListener } from './scanner.ts';

/** Bytes that are parsed in one piece, in about a millisecond. A longer text is parsed in pieces of about this size. */
const CHUNK = 32 * 1024;
/** Bytes of a long text that are scanned before the event loop runs other work. */
const SLICE = 128 * 1024;

/** A parser of JSON texts. `JSON.parse` rounds numbers. */
export type ParseJson = (text: string) => unknown;

type Container = unknown[] | Record<string, unknown>;

/**
 * Parses a JSON text with `parse`. A long text is parsed in slices, between which the event loop runs other work. The
 * texts of its large lists and objects are kept for `largeJson`; pass `remember: false` if `parse` changes values.
 * Throws SyntaxError, also for a text that is nested deeper than 1,000 levels.
 */
export function parseJson(text: string | Buffer, parse: ParseJson = JSON.parse, { remember = true } = {}): unknown {
  const length = typeof text === 'string' ? text.length : text.byteLength;
  return length <= CHUNK ? parse(text.toString()) : parseLong(Buffer.from(text), parse, remember);
}

async function parseLong(bytes: Buffer, parse: ParseJson, remember: boolean): Promise<unknown> {
  const builder = new JsonBuilder(bytes, parse, remember);
  const scanner = new TokenScanner(bytes, limits.jsonDepth, builder);
  for (let until = SLICE; scanner.run(until); until += SLICE) await nextTurn();
  const refused = scanner.end();
  if (refused) throw new SyntaxError(`${refused.problem}, at byte ${refused.at}`);
  return builder.value;
}

/**
 * Builds a value from chunks of its text. Values smaller than a chunk are parsed whole. Larger lists and objects are
 * assembled from runs of members; a run is parsed as soon as it fills a chunk.
 */
class JsonBuilder implements JsonListener {
  value: unknown;
  readonly #bytes: Buffer;
  readonly #read: ParseJson;
  readonly #remember: boolean;
  #depth = 0;
  // The arrays that follow have an entry for each open list or object, by depth.
  readonly #isObject: boolean[] = [];
  readonly #from: number[] = [];
  /** Span of the name of the current member. */
  readonly #nameFrom: number[] = [];
  readonly #nameTo: number[] = [];
  /** Start of the members that are not parsed yet, and the comma after the last complete one of them. */
  readonly #pending: number[] = [];
  readonly #comma: number[] = [];
  /** Members parsed so far; null before the first. */
  readonly #built: (Container | null)[] = [];
  /** True if the last member was placed already, so that nothing is pending before the next comma. */
  readonly #isPlaced: boolean[] = [];
  readonly #levels: number[] = [];

  constructor(bytes: Buffer, parse: ParseJson, remember: boolean) {
    this.#bytes = bytes;
    this.#remember = remember;
    this.#read = parse;
  }

  open(isObject: boolean, at: number): null {
    const depth = (this.#depth += 1);
    this.#isObject[depth] = isObject;
    this.#from[depth] = at;
    this.#pending[depth] = at + 1;
    this.#comma[depth] = 0;
    this.#built[depth] = null;
    this.#isPlaced[depth] = false;
    this.#levels[depth] = 1;
    return null;
  }

  comma(at: number): void {
    const depth = this.#depth;
    if (this.#isPlaced[depth]) {
      this.#isPlaced[depth] = false;
      this.#pending[depth] = at + 1;
    } else if (at - (this.#pending[depth] as number) < CHUNK) this.#comma[depth] = at;
    else {
      this.#take(depth, at);
      this.#pending[depth] = at + 1;
    }
  }

  close(to: number): null {
    const depth = this.#depth;
    const from = this.#from[depth] as number;
    const isBuilt = this.#built[depth] !== null || to - from > CHUNK;
    if (isBuilt && !this.#isPlaced[depth]) this.#take(depth, to - 1);
    this.#depth -= 1;
    if (depth > 1)
      this.#levels[depth - 1] = Math.max(this.#levels[depth - 1] as number, (this.#levels[depth] as number) + 1);
    if (!isBuilt) {
      if (depth === 1) this.value = this.#parse(from, to);
      return null;
    }
    const built = this.#built[depth] as Container;
    const bytes = this.#bytes;
    if (this.#remember)
      rememberText(built, {
        levels: this.#levels[depth] as number,
        get text() {
          return bytes.toString('utf8', from, to);
        },
      });
    if (depth === 1) this.value = built;
    else this.#attach(depth - 1, built, to);
    return null;
  }

  name(from: number, to: number): null {
    this.#nameFrom[this.#depth] = from;
    this.#nameTo[this.#depth] = to;
    return null;
  }

  string(from: number, to: number): null {
    if (this.#depth === 0) this.value = this.#parse(from, to);
    return null;
  }

  number(from: number, to: number): null {
    return this.string(from, to);
  }

  word(from: number, to: number): null {
    return this.string(from, to);
  }

  /** Adds a list or object to the one that contains it, after the members that precede it. */
  #attach(depth: number, member: Container, to: number): void {
    const isObject = this.#isObject[depth] as boolean;
    const comma = this.#comma[depth] as number;
    if (comma > (this.#pending[depth] as number)) this.#take(depth, comma);
    const target = (this.#built[depth] ??= isObject ? {} : []);
    const name = isObject ? this.#parse(this.#nameFrom[depth] as number, this.#nameTo[depth] as number) : null;
    add(target, name as string, member);
    this.#pending[depth] = to;
    this.#isPlaced[depth] = true;
  }

  /** Parses the pending members, up to the comma or bracket at `to`. */
  #take(depth: number, to: number): void {
    const isObject = this.#isObject[depth] as boolean;
    const text = this.#bytes.toString('utf8', this.#pending[depth], to);
    const members = this.#read(isObject ? `{${text}}` : `[${text}]`) as Container;
    const target = this.#built[depth];
    if (!target) this.#built[depth] = members;
    else if (Array.isArray(members)) for (const one of members) (target as unknown[]).push(one);
    else for (const name of Object.keys(members)) add(target, name, members[name]);
  }

  #parse(from: number, to: number): unknown {
    return this.#read(this.#bytes.toString('utf8', from, to));
  }
}

function add(target: Container, name: string, member: unknown): void {
  if (Array.isArray(target)) target.push(member);
  else if (name !== '__proto__') target[name] = member;
  else Object.defineProperty(target, name, { value: member, enumerable: true, configurable: true, writable: true });
}
