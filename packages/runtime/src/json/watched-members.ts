/** A member of the outermost object that was asked for. */
export interface Member {
  name: string;
  /** Its value. */
  from: number;
  to: number;
  /** The byte range to leave out, so that the rest is an object without this member. */
  without: readonly [from: number, to: number];
}

/** More of them are no mistake of a program. */
const MOST = 64;
const NOTHING = new Uint8Array();
/** One character of a name takes at most six bytes, as an escape, and there are two quotes. */
const BYTES_PER_CHARACTER = 6;

/** Follows the members of the outermost object and keeps the places of those whose names are asked for. */
export class WatchedMembers {
  readonly found: Member[] = [];
  readonly #names: ReadonlySet<string>;
  readonly #mostBytes: number;
  /** 1 for each byte that a name may begin with which is asked for. */
  readonly #first = new Uint8Array(256);
  /** The part of a name that stood in earlier chunks. */
  #kept: Uint8Array = NOTHING;
  /** Where the member begins whose value is being read, and its name when that is asked for. */
  #memberFrom = 0;
  #name: string | null = null;
  #valueFrom = 0;
  #commaAt = -1;
  /** A member that stays stands before. */
  #keptBefore = false;
  /** The first members are watched: the comma behind them goes as well. */
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

  /** A name has come to its end. Whether it is one of those that are asked for. */
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

  /** False when there are far too many of them. */
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

  /** A name goes on in the next chunk. */
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

/** The parts of a text that are left when members are taken out, and what stands around its value. */
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
