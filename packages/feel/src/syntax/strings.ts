import { syntaxError } from './source.ts';

// DMN 1.5, 10.3.1.2, grammar rules 33 to 35, and \b and \f. A backslash before anything else stands for itself, so
// that regular expressions can be written plainly, as in Camunda.
const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{6})|([nrtbf'"\\]))/g;
const STRING = /"(?:[^"\\]|\\[^])*"/y;

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const LAST_CODE_POINT = 0x10_ff_ff;

/** Reads the string literal that begins at an offset. */
export function readString(source: string, from: number): { text: string; to: number } {
  STRING.lastIndex = from;
  const literal = STRING.exec(source)?.[0];
  if (literal === undefined)
    throw syntaxError(source, 'The text has no end: add a quotation mark.', from, source.length);
  return { text: unescape(literal.slice(1, -1)), to: from + literal.length };
}

function unescape(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (whole, short?: string, long?: string, character?: string) => {
    if (character !== undefined) return CONTROLS[character] ?? character;
    const code = Number.parseInt(short ?? long ?? '', 16);
    return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
  });
}
