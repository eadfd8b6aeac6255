import { syntaxError } from './source.ts';
import { readString } from './strings.ts';

/** A piece of an expression. `text` is what it says: for strings and back-ticked names without quotes and escapes. */
export interface Token {
  kind: 'name' | 'quoted name' | 'number' | 'string' | 'symbol' | 'end';
  text: string;
  from: number;
  to: number;
}

// DMN 1.5, 10.3.1.2, grammar rules 28 to 30 and 62. Names cannot begin with a `$`, so that no expression can name
// what a host keeps under such a name.
const SPACE =
  /(?:[\t-\r \u0085\u00a0\u1680\u180e\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]|\/\/[^\n\r]*|\/\*[^]*?\*\/)+/y;
const NAME_START =
  'A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u167f\\u1681-\\u180d\\u180f-\\u1fff\\u200c-\\u200d\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufefe\\uff00-\\ufffd\\u{10000}-\\u{effff}';
const NAME = new RegExp(`[${NAME_START}][${NAME_START}0-9\\u00b7\\u0300-\\u036f\\u203f-\\u2040]*`, 'uy');
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const SYMBOL = /\*\*|\.\.|<=|>=|!=|->|[^]/uy;

/** Cuts an expression into pieces; comments and spaces are dropped. Throws `FeelSyntaxError`. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = skip(source, 0);
  while (at < source.length) {
    const token = readToken(source, at);
    tokens.push(token);
    at = skip(source, token.to);
  }
  tokens.push({ kind: 'end', text: '', from: at, to: at });
  return tokens;
}

function skip(source: string, at: number): number {
  const after = matchAt(SPACE, source, at)?.length ?? 0;
  if (source.startsWith('/*', at + after))
    throw syntaxError(source, 'The comment has no end: add */.', at + after, source.length);
  return at + after;
}

function matchAt(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

function readToken(source: string, from: number): Token {
  const name = matchAt(NAME, source, from);
  if (name !== undefined) return { kind: 'name', text: name, from, to: from + name.length };
  const number = matchAt(NUMBER, source, from);
  if (number !== undefined) return { kind: 'number', text: number, from, to: from + number.length };
  if (source[from] === '"') return { kind: 'string', ...readString(source, from), from };
  if (source[from] === '`') return readQuotedName(source, from);
  const symbol = matchAt(SYMBOL, source, from) ?? source.charAt(from);
  return { kind: 'symbol', text: symbol, from, to: from + symbol.length };
}

function readQuotedName(source: string, from: number): Token {
  const end = source.indexOf('`', from + 1);
  if (end <= from + 1) throw syntaxError(source, 'A name in back-ticks needs a second back-tick.', from, source.length);
  return { kind: 'quoted name', text: source.slice(from + 1, end), from, to: end + 1 };
}
