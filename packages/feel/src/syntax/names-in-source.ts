import { RESERVED } from './names.ts';
import { TypeCursor } from './types.ts';

/** Reads names where they are bound or where only names can stand; there they may consist of several words. */
export class NameCursor extends TypeCursor {
  protected property(): string {
    const known = this.names.match(this.tokens, this.at);
    if (known) {
      this.at += known.length;
      return known.name;
    }
    if (this.token.kind !== 'name' && this.token.kind !== 'quoted name') throw this.unexpected('a name after "."');
    return this.take().text;
  }

  /** The words before a colon, or null if there is none. */
  protected argumentName(): string | null {
    let length = 0;
    while (this.peek(length).kind === 'name' || this.peek(length).kind === 'quoted name') length++;
    if (length === 0 || !this.isSymbol(':', length)) return null;
    const name = this.#words(length);
    this.expectSymbol(':');
    return name;
  }

  #words(length: number): string {
    const words = this.tokens.slice(this.at, this.at + length).map((token) => token.text);
    this.at += length;
    return words.join(' ');
  }

  /** A name that the expression binds: words up to a keyword or a sign. Later it is known, spaces and all. */
  protected boundName(keyword?: string): string {
    let length = 0;
    while (
      (this.peek(length).kind === 'name' && this.peek(length).text !== keyword) ||
      this.peek(length).kind === 'quoted name'
    ) {
      length++;
    }
    if (length === 0 || (length === 1 && RESERVED.has(this.token.text))) throw this.unexpected('a name');
    const name = this.#words(length);
    this.names.add(name);
    return name;
  }

  /** A text, a name in back-ticks, or everything up to the colon. */
  protected key(): string {
    if (this.token.kind === 'string' || this.token.kind === 'quoted name') {
      const key = this.take().text;
      this.names.add(key);
      return key;
    }
    const { from } = this.token;
    let length = 0;
    while (isKeyPart(this.peek(length))) length++;
    if (length === 0) throw this.unexpected('a key');
    this.at += length;
    const key = this.source.slice(from, this.peek(-1).to).replace(/\s+/gu, ' ');
    this.names.add(key);
    return key;
  }
}

function isKeyPart({ kind, text }: { kind: string; text: string }): boolean {
  return kind === 'name' || kind === 'number' || (kind === 'symbol' && !/[{}()[\]:,"`]/.test(text));
}
