import type { FeelSyntaxError } from '../errors.ts';
import type { Node } from './ast.ts';
import type { Names } from './names.ts';
import { syntaxError } from './source.ts';
import { type Token, tokenize } from './tokens.ts';

/** Depth of nested expressions, and length of a chain of operators. Beyond it, an expression is refused. */
const DEEPEST_NESTING = 200;
const DEEPEST_TREE = 1000;

type Fields<T> = T extends Node ? Omit<T, 'from' | 'to' | 'size' | 'depth'> : never;

/** The pieces of an expression, looked at from the left. */
export class Cursor {
  protected readonly source: string;
  protected readonly names: Names;
  protected readonly tokens: readonly Token[];
  protected at = 0;
  #nesting = 0;

  constructor(source: string, names: Names) {
    this.source = source;
    this.names = names;
    this.tokens = tokenize(source);
  }

  protected get token(): Token {
    return this.peek(0);
  }

  protected peek(ahead: number): Token {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)] as Token;
  }

  protected take(): Token {
    const token = this.token;
    if (token.kind !== 'end') this.at++;
    return token;
  }

  protected isSymbol(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'symbol' && token.text === text;
  }

  protected isWord(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'name' && token.text === text;
  }

  protected skipSymbol(text: string): boolean {
    const found = this.isSymbol(text);
    if (found) this.at++;
    return found;
  }

  protected skipWord(text: string): boolean {
    const found = this.isWord(text);
    if (found) this.at++;
    return found;
  }

  protected expectSymbol(text: string): void {
    if (!this.skipSymbol(text)) throw this.unexpected(`"${text}"`);
  }

  protected expectWord(text: string): void {
    if (!this.skipWord(text)) throw this.unexpected(`"${text}"`);
  }

  /** Reads everything up to the closing sign, with commas between. */
  protected until(close: string, rule: () => void): void {
    if (!this.isSymbol(close)) {
      do rule();
      while (this.skipSymbol(','));
    }
    this.expectSymbol(close);
  }

  /** The error for the next piece, where something else would have to come. */
  protected unexpected(wanted: string): FeelSyntaxError {
    const { kind, from, to } = this.token;
    const found = kind === 'end' ? 'the end of the expression' : this.source.slice(from, Math.min(to, from + 40));
    return this.error(`Expected ${wanted}, found ${found}`, from, to);
  }

  protected error(message: string, from: number, to: number): FeelSyntaxError {
    return syntaxError(this.source, message, from, to);
  }

  /** Runs a rule that may contain itself. */
  protected nested<T>(rule: () => T): T {
    this.#nesting++;
    if (this.#nesting > DEEPEST_NESTING) {
      throw this.error(`The expression is nested more than ${DEEPEST_NESTING} deep`, this.token.from, this.token.to);
    }
    try {
      return rule();
    } finally {
      this.#nesting--;
    }
  }

  /** A node that ends before the next piece. */
  protected node(fields: Fields<Node>, from: number, children: readonly Node[]): Node {
    const to = this.tokens[this.at - 1]?.to ?? from;
    let size = 1;
    let depth = 1;
    for (const child of children) {
      size += child.size;
      depth = Math.max(depth, child.depth + 1);
    }
    if (depth > DEEPEST_TREE) {
      throw this.error(
        `More than ${DEEPEST_TREE} operators in one chain; use a list and a function such as sum`,
        from,
        to,
      );
    }
    return { ...fields, from, to, size, depth };
  }
}
