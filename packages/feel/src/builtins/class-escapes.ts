// Escapes that stand for many characters mean more in XML Schema (part 2, appendix F), on which FEEL's regular expressions
// rest, than in RE2, where they end with ASCII. Beside XML Schema, `\w` takes `_`, as in Java and Camunda.

const WORD = '\\p{L}\\p{M}\\p{N}\\p{S}_';
const NAME_START =
  ':A-Z_a-z\\x{C0}-\\x{D6}\\x{D8}-\\x{F6}\\x{F8}-\\x{2FF}\\x{370}-\\x{37D}\\x{37F}-\\x{1FFF}\\x{200C}-\\x{200D}\\x{2070}-\\x{218F}\\x{2C00}-\\x{2FEF}\\x{3001}-\\x{D7FF}\\x{F900}-\\x{FDCF}\\x{FDF0}-\\x{FFFD}\\x{10000}-\\x{EFFFF}';
const CLASSES: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  w: WORD,
  i: NAME_START,
  c: `${NAME_START}\\-.0-9\\x{B7}\\x{300}-\\x{36F}\\x{203F}-\\x{2040}`,
};
/** What is no word character, for within a class: all punctuation but `_`, separators, and what is none of these. */
const NO_WORD = '\\p{Pd}\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}\\p{Po}\\x{203F}-\\x{2040}\\x{2054}\\x{FE33}-\\x{FE34}\\p{Z}\\p{C}';
const PART = /\\[pP](?:\{[^}]*\}|[A-Z])|\\[^]|\[\^?\]?|[^]/gu;

/** Writes these escapes as RE2 understands them, within and outside of character classes. */
export function withWideEscapes(pattern: string, ignoresCase: boolean): string {
  if (!pattern.includes('\\')) return pattern;
  let inClass = false;
  return pattern.replace(PART, (part) => {
    if (part.startsWith('[') && !inClass) inClass = true;
    else if (part === ']') inClass = false;
    if (!part.startsWith('\\')) return part;
    // The category of a character is its own, whatever case is ignored.
    if (/^\\p./i.test(part)) return ignoresCase && !inClass ? `(?-i:${part})` : part;
    return inClass ? inside(part) : outside(part);
  });
}

function outside(escape: string): string {
  const name = escape.slice(1);
  const content = CLASSES[name.toLowerCase()];
  if (content === undefined) return escape;
  return name === name.toLowerCase() ? `[${content}]` : `[^${content}]`;
}

function inside(escape: string): string {
  if (escape === '\\D') return '\\P{Nd}';
  return escape === '\\W' ? NO_WORD : (CLASSES[escape.slice(1)] ?? escape);
}
