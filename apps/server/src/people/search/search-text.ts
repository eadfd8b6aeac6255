/** Before every name of a search text. It sorts before every letter, and no name and no query can hold it. */
const NAME = '\u001f';

/** What blocks of search texts are made of: before every text, and before the mark of its user. */
export const ENTRY = '\u0001';
export const MARK = '\u0002';

/** Of each name. Three of them fit into an index of PostgreSQL, which takes 2,704 bytes: a character has at most 3. */
const LONGEST_NAME = 200;

/** No name can hold them, and no query that holds one finds anybody. */
// oxlint-disable-next-line no-control-regex -- these are what it is about
const SEPARATORS = /[\u0001\u0002\u001f]/g;

interface Names {
  readonly username: string;
  readonly firstname: string;
  readonly lastname: string;
}

/**
 * The names of a user as the search compares them: folded, each after a separator, so that one text answers whether a
 * name holds or begins with something, and sorts by last name, then first name. Of a username that is an e-mail address
 * only the part before the @ is in it, because e-mail is never matched.
 */
export function searchTextOf({ username, firstname, lastname }: Names): string {
  const login = username.split('@')[0] ?? '';
  return [lastname, firstname, login]
    .map((name) => NAME + foldCase(name.replaceAll(SEPARATORS, ' ')).slice(0, LONGEST_NAME).toWellFormed())
    .join('');
}

/** What to look for in search texts to find names that begin with `folded`. */
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

/** Whether no name can hold one of these words: it is longer than any, or reaches across the border of two. */
export function isInNoName(words: readonly string[]): boolean {
  return words.some((word) => word.length > LONGEST_NAME || word.search(SEPARATORS) >= 0);
}

/** The words of a folded query, each of which has to be in a name; a query of blanks alone is one word. */
export function wordsOf(folded: string): string[] {
  const words = folded.split(/\s+/u).filter((word) => word !== '');
  return words.length === 0 ? [folded] : words;
}

/**
 * The text without differences of case, as the full case folding of Unicode (chapter 3.13) has it: by way of the upper
 * case, because ß and SS meet only there; ẞ is an upper case already, and becomes ss as well. JavaScript lowers Σ to ς at the end of a word, which would make the answer
 * depend on what follows. Composed (NFC), so that both spellings of é are the same.
 */
export function foldCase(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll('ß', 'ss').normalize('NFC');
}
