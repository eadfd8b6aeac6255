/** Separator before each name of a search text. It sorts before all letters, and is removed from names. */
const NAME = '\u001f';

/** Separators in a block: before each search text, and before the mark of its user. */
export const ENTRY = '\u0001';
export const MARK = '\u0002';

/**
 * Characters of a name; the rest is cut off. Three names of at most 3 bytes a character fit into an index row (2,704
 * bytes).
 */
const LONGEST_NAME = 200;

/** Separators, which are replaced in names. A query that contains one finds no user. */
// oxlint-disable-next-line no-control-regex -- these are what it is about
const SEPARATORS = /[\u0001\u0002\u001f]/g;

interface Names {
  readonly username: string;
  readonly firstname: string;
  readonly lastname: string;
}

/**
 * The search text of a user: the folded names, each after a separator. One text so shows whether a name contains or
 * begins with something, and sorts by last name, then first name. A username that is an email address is cut before
 * the @, because email addresses are never matched.
 */
export function searchTextOf({ username, firstname, lastname }: Names): string {
  const login = username.split('@')[0] ?? '';
  return [lastname, firstname, login]
    .map((name) => NAME + foldCase(name.replaceAll(SEPARATORS, ' ')).slice(0, LONGEST_NAME).toWellFormed())
    .join('');
}

/** The needle for names that begin with `folded`. */
export function beginningOfName(folded: string): string {
  return NAME + folded;
}

/** The names in a search text, each with the separator before it. */
export function namesIn(searchText: string): string[] {
  return searchText
    .split(NAME)
    .slice(1)
    .map((name) => NAME + name);
}

/** Returns whether one of these words can be in no name: it is too long, or contains a separator. */
export function isInNoName(words: readonly string[]): boolean {
  return words.some((word) => word.length > LONGEST_NAME || word.search(SEPARATORS) >= 0);
}

/** The words of a folded query, each of which must be in a name. A query of blanks only is one word. */
export function wordsOf(folded: string): string[] {
  const words = folded.split(/\s+/u).filter((word) => word !== '');
  return words.length === 0 ? [folded] : words;
}

/**
 * Full case folding (Unicode, chapter 3.13) of a text, composed (NFC) so that both encodings of é are equal. The text
 * is converted to upper case first, because only there ß equals SS. ẞ is in upper case and becomes ss as well.
 * JavaScript converts Σ at the end of a word to ς, which is replaced, so that the result does not depend on what
 * follows.
 */
export function foldCase(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll('ß', 'ss').normalize('NFC');
}
