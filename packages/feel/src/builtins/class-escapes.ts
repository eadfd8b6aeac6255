// Escapes that stand for many characters mean more in XML Schema (part 2, appendix F), on which FEEL's regular
// expressions rest. In RE2 they end with ASCII. Beside XML Schema, `\w` takes `_`, as in Java and Camunda.

const WORD = '\\p{L}\\p{M}\\p{N}\\p{S}_';
const NAME_START =
  ':A-Z_a-z\\x{C0}-\\x{D6}\\x{D8}-\\x{F6}\\x{F8}-\\x{2FF}\\x{370}-\\x{37D}\\x{37F}-\\x{1FFF}\\x{200C}-\\x{200D}\\x{2070}-\\x{218F}\\x{2C00}-\\x{2FEF}\\x{3001}-\\x{D7FF}\\x{F900}-\\x{FDCF}\\x{FDF0}-\\x{FFFD}\\x{10000}-\\x{EFFFF}';
const CLASSES: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  w: WORD,
  i: NAME_START,
  c: `${NAME_START}\\-.0-9\\x{B7}\\x{300}-\\x{36F}\\x{203F}-\\x{2040}`,
};
/** The characters that are no word characters, for within a class: all punctuation but `_`, separators, and others. */
const NO_WORD = '\\p{Pd}\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}\\p{Po}\\x{203F}-\\x{2040}\\x{2054}\\x{FE33}-\\x{FE34}\\p{Z}\\p{C}';
const PART = /\\[pP](?:\{[^}]*\}|[A-Z])|\\[^]|\[\^?\]?|[^]/gu;

interface PatternFlags {
  readonly ignoresCase: boolean;
  /** The dot matches ends of lines as well. */
  readonly dotAll: boolean;
}

/**
 * Writes these escapes, and the dot, as RE2 understands them, within and outside of character classes. Null for `\\0`,
 * which is no escape of XPath: RE2 takes it for U+0000.
 */
export function withWideEscapes(pattern: string, { ignoresCase, dotAll }: PatternFlags): string | null {
  if (!pattern.includes('\\') && !pattern.includes('.')) return pattern;
  let inClass = false;
  let isWrong = false;
  const written = pattern.replace(PART, (part) => {
    if (part.startsWith('[') && !inClass) inClass = true;
    else if (part === ']') inClass = false;
    // Neither end of a line (XPath 3.1, 5.6.2); RE2 knows the line feed only.
    if (part === '.' && !inClass && !dotAll) return '[^\\n\\r]';
    if (!part.startsWith('\\')) return part;
    isWrong ||= part === '\\0';
    const block = /^\\p\{Is([\w-]+)\}$/i.exec(part)?.[1];
    if (block !== undefined) return blockOf(block, part.startsWith('\\P'), inClass) ?? part;
    // The category of a character is its own, whatever case is ignored.
    if (/^\\p./i.test(part)) return ignoresCase && !inClass ? `(?-i:${part})` : part;
    return inClass ? inside(part) : outside(part);
  });
  return isWrong ? null : written;
}

/** Blocks of Unicode (XML Schema part 2, appendix F.1.1) up to the ideographs, which RE2 does not know by name. */
const BLOCKS: Readonly<Record<string, readonly [string, string]>> = {
  BasicLatin: ['0', '7F'],
  'Latin-1Supplement': ['80', 'FF'],
  'LatinExtended-A': ['100', '17F'],
  'LatinExtended-B': ['180', '24F'],
  IPAExtensions: ['250', '2AF'],
  CombiningDiacriticalMarks: ['300', '36F'],
  Greek: ['370', '3FF'],
  GreekandCoptic: ['370', '3FF'],
  Cyrillic: ['400', '4FF'],
  Armenian: ['530', '58F'],
  Hebrew: ['590', '5FF'],
  Arabic: ['600', '6FF'],
  Devanagari: ['900', '97F'],
  Thai: ['E00', 'E7F'],
  GeneralPunctuation: ['2000', '206F'],
  CurrencySymbols: ['20A0', '20CF'],
  Arrows: ['2190', '21FF'],
  MathematicalOperators: ['2200', '22FF'],
  Hiragana: ['3040', '309F'],
  Katakana: ['30A0', '30FF'],
  CJKUnifiedIdeographs: ['4E00', '9FFF'],
};

function blockOf(name: string, isOther: boolean, inClass: boolean): string | null {
  const block = Object.hasOwn(BLOCKS, name) ? BLOCKS[name] : undefined;
  if (block === undefined) return null;
  const [from, to] = block;
  const before = (Number.parseInt(from, 16) - 1).toString(16);
  const after = (Number.parseInt(to, 16) + 1).toString(16);
  const others = `${from === '0' ? '' : `\\x{0}-\\x{${before}}`}\\x{${after}}-\\x{10FFFF}`;
  const ranges = isOther ? others : `\\x{${from}}-\\x{${to}}`;
  return inClass ? ranges : `[${ranges}]`;
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
