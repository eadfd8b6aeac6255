import { setImmediate as nextTurn } from 'node:timers/promises';
import { rememberText } from '@kethub/feel';
import { limits } from '@kethub/contract';
import { TokenScanner, type JsonListener } from './scanner.ts';

/** Texts up to so many bytes are parsed in one go, in about a millisecond. Parts of longer ones are of this size. */
const CHUNK = 32 * 1024;
/** Bytes of a long text that are parsed in one turn of the thread. */
const SLICE = 128 * 1024;

/** Reads a JSON text; `JSON.parse` rounds numbers. */
export type ParseJson = (text: string) => unknown;

type Container = unknown[] | Record<string, unknown>;

/**
 * The value of a JSON text, as `parse` makes it of a short one. A long text is parsed in slices, between which others have their turn;
 * of the large lists and objects in it the texts are remembered (`largeJson`), unless `parse` changes values and `remember` is false. Throws SyntaxError, also for a text
 * that is nested deeper than 1,000 levels.
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
 * Builds a value from chunks of its text. What is smaller than a chunk is left to `JSON.parse`; larger lists and objects are
 * put together from members, which are parsed as soon as there are enough of them.
 */
class JsonBuilder implements JsonListener {
  value: unknown;
  readonly #bytes: Buffer;
  readonly #read: ParseJson;
  readonly #remember: boolean;
  #depth = 0;
  /** By depth, of the lists and objects that are open. */
  readonly #isObject: boolean[] = [];
  readonly #from: number[] = [];
  /** The name that is being read. */
  readonly #nameFrom: number[] = [];
  readonly #nameTo: number[] = [];
  /** Where the members begin that are not parsed yet, and the comma behind the last whole one of them. */
  readonly #pending: number[] = [];
  readonly #comma: number[] = [];
  /** Null: nothing of it is parsed yet. */
  readonly #built: (Container | null)[] = [];
  /** The last member is in place: nothing is pending before the next comma. */
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
    else this.#place(depth - 1, built, to);
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

  /** Puts a list or object into the one that is open, behind the members that are before it. */
  #place(depth: number, member: Container, to: number): void {
    const isObject = this.#isObject[depth] as boolean;
    const comma = this.#comma[depth] as number;
    if (comma > (this.#pending[depth] as number)) this.#take(depth, comma);
    const target = (this.#built[depth] ??= isObject ? {} : []);
    const name = isObject ? this.#parse(this.#nameFrom[depth] as number, this.#nameTo[depth] as number) : null;
    add(target, name as string, member);
    this.#pending[depth] = to;
    this.#isPlaced[depth] = true;
  }

  /** Parses the members that are pending, up to the comma or bracket behind them. */
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
