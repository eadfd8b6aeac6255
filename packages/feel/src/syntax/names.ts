import { FeelSyntaxError } from '../errors.ts';
import { type Token, tokenize } from './tokens.ts';

/** Words that end an operand, so that no name can go on with them. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'and',
  'between',
  'else',
  'external',
  'in',
  'instance',
  'or',
  'return',
  'satisfies',
  'then',
]);

/** Words that are no names on their own. */
export const RESERVED: ReadonlySet<string> = new Set([
  'and',
  'else',
  'false',
  'function',
  'in',
  'null',
  'or',
  'return',
  'satisfies',
  'then',
  'true',
]);

interface KnownName {
  name: string;
  words: readonly string[];
  /** Only before a parenthesis: otherwise `date and time` is a conjunction. */
  callOnly: boolean;
}

/** Names of several words or with other characters than letters, which only make sense when they are known. */
export class Names {
  readonly #byFirstWord: Map<string, readonly KnownName[]>;

  /** `base`: names that are known besides, read once for many expressions. */
  constructor(names: Iterable<string>, functions: Iterable<string>, base: Names | null = null) {
    this.#byFirstWord = new Map(base === null ? [] : base.#byFirstWord);
    for (const name of functions) this.#add(name, true);
    for (const name of names) this.#add(name, false);
  }

  /** A name that the expression binds itself, or that is known from outside. */
  add(name: string): void {
    this.#add(name, false);
  }

  #add(name: string, isFunction: boolean): void {
    const words = wordsOf(name);
    const [first] = words;
    if (first === undefined || words.length < 2) return;
    const known = this.#byFirstWord.get(first) ?? [];
    if (known.some((other) => other.name === name && !other.callOnly)) return;
    const added = { name, words, callOnly: isFunction && words.some((word) => KEYWORDS.has(word)) };
    const all = [...known, added].sort((left, right) => right.words.length - left.words.length);
    this.#byFirstWord.set(first, all);
  }

  /** The longest known name that begins at a token, and how many tokens it takes. */
  match(tokens: readonly Token[], at: number): { name: string; length: number } | null {
    const token = tokens[at];
    if (token?.kind !== 'name') return null;
    for (const { name, words, callOnly } of this.#byFirstWord.get(token.text) ?? []) {
      const fits = words.every((word, index) => isWord(tokens[at + index], word));
      const after = tokens[at + words.length];
      if (fits && (!callOnly || (after?.kind === 'symbol' && after.text === '(')))
        return { name, length: words.length };
    }
    return null;
  }
}

function isWord(token: Token | undefined, word: string): boolean {
  return token !== undefined && token.kind !== 'string' && token.kind !== 'quoted name' && token.text === word;
}

function wordsOf(name: string): string[] {
  try {
    const tokens = tokenize(name);
    return tokens[0]?.kind === 'name' ? tokens.slice(0, -1).map((token) => token.text) : [];
  } catch (error) {
    if (error instanceof FeelSyntaxError) return [];
    throw error;
  }
}
