/** Before every name of a search text. It sorts before every letter, and no name and no query can hold it. */
const NAME = '\u001f';

/** Of each name; an index of PostgreSQL takes at most 2,704 bytes, and a character of a name has at most 3. */
const LONGEST_NAME = 200;

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
    .map((name) => NAME + foldCase(name.replaceAll(NAME, ' ')).slice(0, LONGEST_NAME))
    .join('');
}

/** What to look for in search texts to find names that begin with `folded`. */
export function beginningOfName(folded: string): string {
  return NAME + folded;
}

/** Whether a query could only be found across the border of two names: it finds nothing. */
export function crossesNames(query: string): boolean {
  return query.includes(NAME);
}

/**
 * The text without differences of case, as the full case folding of Unicode (chapter 3.13) has it: by way of the upper
 * case, because ß and SS meet only there. JavaScript lowers Σ to ς at the end of a word, which would make the answer
 * depend on what follows. Composed (NFC), so that both spellings of é are the same.
 */
export function foldCase(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
