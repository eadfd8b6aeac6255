/** A watched member of the outermost object. */
export interface Member {
  name: string;
  /** The range of its value. */
  from: number;
  to: number;
  /** The byte range to leave out, so that the rest is an object without this member. */
  without: readonly [from: number, to: number];
}

/** Watched members at most. More are no mistake of a program, so the text is refused. */
const MOST = 64;
const NOTHING = new Uint8Array();
/** Bytes of one character of a name at most, as an escape sequence. */
const BYTES_PER_CHARACTER = 6;

/** Follows the members of the outermost object and keeps the positions of the watched ones. */
export class WatchedMembers {
  readonly found: Member[] = [];
  readonly #names: ReadonlySet<string>;
  readonly #mostBytes: number;
  /** 1 for each byte with which a watched name may begin. */
  readonly #first = new Uint8Array(256);
  /** The part of a name from earlier chunks. */
  #kept: Uint8Array = NOTHING;
  /** The start of the current member, and its name if it is watched. */
  #memberFrom = 0;
  #name: string | null = null;
  #valueFrom = 0;
  #commaAt = -1;
  /** A member that is not watched comes before. */
  #keptBefore = false;
  /** Only watched members so far: the comma after them is left out as well. */
  #takesComma = false;

  constructor(names: readonly string[]) {
    this.#names = new Set(names);
    const longest = names.reduce((most, name) => Math.max(most, name.length), 0);
    for (const name of ['\\', ...names]) this.#first[name.charCodeAt(0)] = 1;
    this.#mostBytes = longest * BYTES_PER_CHARACTER + 2;
  }

  get isUsed(): boolean {
    return this.#names.size > 0;
  }

  /** Ends a name. Returns whether it is watched. */
  closeName(chunk: Uint8Array, before: number, from: number, to: number): boolean {
    const first = from + 1 < before ? this.#kept[1] : chunk[from + 1 - before];
    const isLong = to - from > this.#mostBytes;
    if (isLong || this.#first[first ?? 0] === 0) this.#name = null;
    else {
      const name = this.#nameIn(chunk, before, from, to);
      this.#name = this.#names.has(name) ? name : null;
    }
    this.#kept = NOTHING;
    this.#memberFrom = from;
    if (this.#name === null) this.#keptBefore = true;
    return this.#name !== null;
  }

  beginValue(at: number): void {
    this.#valueFrom = at;
  }

  /** Ends a value. Returns false when there are far too many watched members. */
  endValue(to: number): boolean {
    if (this.#name === null) return true;
    const from = this.#keptBefore ? this.#commaAt : this.#memberFrom;
    this.found.push({ name: this.#name, from: this.#valueFrom, to, without: [from, to] });
    this.#takesComma = !this.#keptBefore;
    this.#name = null;
    return this.found.length <= MOST;
  }

  comma(at: number): void {
    this.#commaAt = at;
    const last = this.found.at(-1);
    if (this.#takesComma && last !== undefined) last.without = [last.without[0], at + 1];
    this.#takesComma = false;
  }

  /** Keeps a part of a name that continues in the next chunk. */
  keepName(chunk: Uint8Array, before: number, from: number): void {
    if (this.#kept.length > this.#mostBytes) return;
    const start = Math.max(0, from - before);
    this.#kept = Buffer.concat([this.#kept, chunk.subarray(start, start + this.#mostBytes)]);
  }

  #nameIn(chunk: Uint8Array, before: number, from: number, to: number): string {
    const here = chunk.subarray(Math.max(0, from - before), to - before);
    return JSON.parse(Buffer.concat([this.#kept, here]).toString()) as string;
  }
}

/** The byte ranges of a value without these members, and without the white space around it. */
export function partsWithout(
  { from, to }: { readonly from: number; readonly to: number },
  members: readonly Member[],
): [from: number, to: number][] {
  const parts: [number, number][] = [];
  let next = from;
  for (const { without } of members) {
    if (without[0] > next) parts.push([next, without[0]]);
    next = without[1];
  }
  parts.push([next, to]);
  return parts;
}
