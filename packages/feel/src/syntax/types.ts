import type { Type } from './ast.ts';
import { Cursor } from './cursor.ts';

const LONG_NAMES: readonly (readonly string[])[] = [
  ['date', 'and', 'time'],
  ['days', 'and', 'time', 'duration'],
  ['years', 'and', 'months', 'duration'],
  ['day', '-', 'time', '-', 'duration'],
  ['year', '-', 'month', '-', 'duration'],
  ['date', 'time'],
];

const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['day-time-duration', 'days and time duration'],
  ['year-month-duration', 'years and months duration'],
  ['date time', 'date and time'],
  ['dateTime', 'date and time'],
  ['dayTimeDuration', 'days and time duration'],
  ['yearMonthDuration', 'years and months duration'],
  ['any', 'Any'],
  ['Null', 'null'],
]);

/** Reads types (DMN 1.5, grammar rules 52 to 54; the names with hyphens are Camunda's). */
export class TypeCursor extends Cursor {
  protected type(): Type {
    return this.nested(() => {
      const name = this.#typeName();
      if (!this.isSymbol('<')) return { kind: 'name', name };
      if (name === 'list' || name === 'range') return this.#elementType(name);
      if (name === 'context') return this.#contextType();
      if (name === 'function') return this.#functionType();
      return { kind: 'name', name };
    });
  }

  #typeName(): string {
    for (const words of LONG_NAMES) {
      if (words.every((word, index) => this.peek(index).text === word && this.peek(index).kind !== 'string')) {
        this.at += words.length;
        const name = words.join(words.includes('-') ? '' : ' ');
        return OTHER_NAMES.get(name) ?? name;
      }
    }
    let name = this.#word();
    while (this.skipSymbol('.')) name += `.${this.#word()}`;
    return OTHER_NAMES.get(name) ?? name;
  }

  #word(): string {
    if (this.token.kind !== 'name' && this.token.kind !== 'quoted name') throw this.unexpected('the name of a type');
    return this.take().text;
  }

  #elementType(kind: 'list' | 'range'): Type {
    this.expectSymbol('<');
    const of = this.type();
    this.expectSymbol('>');
    return { kind, of };
  }

  #contextType(): Type {
    const members: { name: string; type: Type }[] = [];
    this.expectSymbol('<');
    this.until('>', () => {
      const words = [this.#word()];
      while (this.token.kind === 'name') words.push(this.#word());
      this.expectSymbol(':');
      members.push({ name: words.join(' '), type: this.type() });
    });
    return { kind: 'context', members };
  }

  #functionType(): Type {
    const parameters: Type[] = [];
    this.expectSymbol('<');
    this.until('>', () => void parameters.push(this.type()));
    this.expectSymbol('->');
    return { kind: 'function', parameters, result: this.type() };
  }
}
