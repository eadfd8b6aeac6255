import { hash } from 'node:crypto';
import { ENTRY, MARK, namesIn } from './search-text.ts';

/**
 * The users in the order of their search texts, some dozens to a block, like the leaves of a B-tree. A block is read and
 * searched as one text, and the index of grams leads to blocks, not to users. So what is common is found soon by going
 * through the blocks from the first; what is common in one family of names fills few blocks, next to each other; and
 * what is rare is in few blocks. The index finds the first blocks first (search-positions.ts), so that also what is common
 * but never among the first costs little more. Measured in SPECIFICATION.md.
 */
export interface SearchEntry {
  /** See searchTextOf. */
  readonly text: string;
  /** See markOf. */
  readonly mark: string;
}

/** A block with more is split: PostgreSQL stores a row in one page of 8 KB, and a long name has 1.8 KB. */
const MOST_ENTRIES = 48;
const MOST_BYTES = 4_096;
/** Into how many entries blocks are filled at first, so that the next ones need no split. */
const FILLED_ENTRIES = 32;
const FILLED_BYTES = 3_000;

/** Of a long needle: more make the blocks hardly fewer, and each costs a look-up. */
const MOST_GRAMS = 16;
const LONGEST_GRAM = 4;

/**
 * What stands for a user in a block: 14 capital letters of their id's digest (65 bits). A folded text holds no capital
 * letter, so that no query finds a mark.
 */
export function markOf(userId: string): string {
  let rest = BigInt(`0x${hash('sha256', userId, 'hex').slice(0, 32)}`);
  let mark = '';
  for (let place = 0; place < 14; place += 1) {
    mark += String.fromCharCode(65 + Number(rest % 26n));
    rest /= 26n;
  }
  return mark;
}

/** The place of an entry in the order of all: by text, then by mark. Compared by code point, as both databases do. */
export function sortKey({ text, mark }: SearchEntry): string {
  return text + MARK + mark;
}

export function writeEntries(entries: readonly SearchEntry[]): string {
  return entries.map((entry) => ENTRY + sortKey(entry)).join('');
}

export function readEntries(block: string): SearchEntry[] {
  return block
    .split(ENTRY)
    .slice(1)
    .map((entry) => {
      const end = entry.lastIndexOf(MARK);
      return { text: entry.slice(0, end), mark: entry.slice(end + 1) };
    });
}

export function compareEntries(a: SearchEntry, b: SearchEntry): number {
  return compareByCodePoint(sortKey(a), sortKey(b));
}

/** Whether a block has to be split in two halves. */
export function isTooLarge(entries: readonly SearchEntry[]): boolean {
  return entries.length > MOST_ENTRIES || (entries.length > 1 && Buffer.byteLength(writeEntries(entries)) > MOST_BYTES);
}

/** Cuts entries in their order into blocks. */
export function* blocksOf(sorted: Iterable<SearchEntry>): Generator<SearchEntry[]> {
  let block: SearchEntry[] = [];
  let bytes = 0;
  for (const entry of sorted) {
    const more = Buffer.byteLength(entry.text) + 16;
    if (block.length > 0 && (block.length === FILLED_ENTRIES || bytes + more > FILLED_BYTES)) {
      yield block;
      block = [];
      bytes = 0;
    }
    block.push(entry);
    bytes += more;
  }
  if (block.length > 0) yield block;
}

/** Every piece of one to four characters of the names, as numbers; the beginning of a name counts as a character. */
export function gramsOf(entries: readonly SearchEntry[]): Set<number> {
  const grams = new Set<number>();
  for (const { text } of entries) {
    for (const name of namesIn(text)) addGramsOf(name, LONGEST_GRAM, grams);
  }
  return grams;
}

/** Every piece of one or two characters of a text, as numbers. */
export function shortGramsOf(text: string): Set<number> {
  const grams = new Set<number>();
  addGramsOf(text, 2, grams);
  return grams;
}

function addGramsOf(text: string, longest: number, grams: Set<number>): void {
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  for (let from = 0; from < characters.length; from += 1) {
    const to = Math.min(from + longest, characters.length);
    let gram = NO_GRAM;
    for (let at = from; at < to; at += 1) grams.add((gram = extended(gram, characters[at] ?? 0)));
  }
}

/** Grams that a block must have to hold `needle`, which is not empty. */
export function gramsToLookFor(needle: string): number[] {
  const characters = Array.from(needle, (character) => character.codePointAt(0) ?? 0);
  const gramAt = (from: number): number => characters.slice(from, from + LONGEST_GRAM).reduce(extended, NO_GRAM);
  const last = Math.max(0, characters.length - LONGEST_GRAM);
  const step = Math.max(1, last / (MOST_GRAMS - 1));
  const grams = new Set<number>();
  for (let from = 0; from <= last; from += step) grams.add(gramAt(Math.round(from)));
  return [...grams];
}

/** FNV-1a, 32 bits. Two grams with one number only make a block be read in vain. */
const NO_GRAM = 0x811c9dc5 | 0;
function extended(gram: number, character: number): number {
  return Math.imul(gram ^ character, 0x01000193);
}

function compareByCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for characters behind all others. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
