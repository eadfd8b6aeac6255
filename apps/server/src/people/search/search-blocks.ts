import { hash } from 'node:crypto';
import { ENTRY, MARK, namesIn } from './search-text.ts';

/**
 * An entry of the search for users. Entries are stored in the order of their texts, some dozens to a block, like the
 * leaves of a B-tree. A block is read and searched as one text, and the index of grams points to blocks, not to
 * users.
 *
 * A scan of the first blocks finds frequent names soon. Names that are frequent in one family fill few adjacent
 * blocks, and rare names are in few blocks. The index returns blocks in order (search-positions.ts), so frequent
 * names that are not in the first blocks cost little more. SPECIFICATION.md has the measurements.
 */
export interface SearchEntry {
  /** See searchTextOf. */
  readonly text: string;
  /** See markOf. */
  readonly mark: string;
}

/** Most entries of a block; one with more is split. */
const MOST_ENTRIES = 48;
/**
 * Most bytes of a block; a larger one is split. PostgreSQL stores a row in a page of 8 KB, and long names take 1.8
 * KB.
 */
const MOST_BYTES = 4_096;
/** Entries of a block when the tables are filled, so that the next additions need no split. */
const FILLED_ENTRIES = 32;
/** Bytes of a block when the tables are filled. */
const FILLED_BYTES = 3_000;

/** Grams of a needle that are looked up. More would hardly exclude further blocks, and each costs a look-up. */
const MOST_GRAMS = 16;
/** Characters of the longest gram. */
const LONGEST_GRAM = 4;

/**
 * The mark of a user in a block: 14 capital letters from the digest of the id (65 bits). Folded texts contain no
 * capital letters, so no query matches a mark.
 */
export function markOf(userId: string): string {
  let quotient = BigInt(`0x${hash('sha256', userId, 'hex').slice(0, 32)}`);
  let mark = '';
  for (let index = 0; index < 14; index += 1) {
    mark += String.fromCharCode(65 + Number(quotient % 26n));
    quotient /= 26n;
  }
  return mark;
}

/** The sort key of an entry: text, then mark. Keys are compared by code point, as both databases do. */
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

/** Returns whether a block has to be split into two halves. */
export function isTooLarge(entries: readonly SearchEntry[]): boolean {
  return entries.length > MOST_ENTRIES || (entries.length > 1 && Buffer.byteLength(writeEntries(entries)) > MOST_BYTES);
}

/** Divides sorted entries into blocks. */
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

/** Hashes of all grams of one to four characters in the names; the beginning of a name counts as a character. */
export function gramsOf(entries: readonly SearchEntry[]): Set<number> {
  const grams = new Set<number>();
  for (const { text } of entries) {
    for (const name of namesIn(text)) addGramsOf(name, LONGEST_GRAM, grams);
  }
  return grams;
}

/** Hashes of all grams of one or two characters in a text. */
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

/** Hashes of grams that a block must have to contain `needle`, which is not empty. */
export function gramsToLookFor(needle: string): number[] {
  const characters = Array.from(needle, (character) => character.codePointAt(0) ?? 0);
  const gramAt = (from: number): number => characters.slice(from, from + LONGEST_GRAM).reduce(extended, NO_GRAM);
  const last = Math.max(0, characters.length - LONGEST_GRAM);
  const step = Math.max(1, last / (MOST_GRAMS - 1));
  const grams = new Set<number>();
  for (let from = 0; from <= last; from += step) grams.add(gramAt(Math.round(from)));
  return [...grams];
}

/** Hash of no characters (FNV-1a, 32 bits). A collision of two grams only causes a needless read of a block. */
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

/** Rank of a UTF-16 unit in the order of code points: surrogates come after all others. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
