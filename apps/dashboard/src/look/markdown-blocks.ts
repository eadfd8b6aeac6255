/** A part of a text with Markdown that stands on lines of its own. */
export type Block =
  | { readonly type: 'heading'; readonly level: number; readonly text: string }
  | { readonly type: 'paragraph' | 'quote' | 'code'; readonly text: string }
  | { readonly type: 'list'; readonly isOrdered: boolean; readonly items: readonly string[] }
  | { readonly type: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

/**
 * A part of a line. A link leads to a web page or a mail address, nowhere else. A relative address means something only
 * where the text comes from a folder of files.
 */
export type Span =
  | RelativeSpan
  | { readonly type: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly type: 'link'; readonly text: string; readonly href: string };

export interface RelativeSpan {
  readonly type: 'relative';
  readonly text: string;
  readonly address: string;
  readonly isPicture: boolean;
  /** As it was written. */
  readonly whole: string;
}

/** Characters of a text that are looked at; the rest is left out. */
const MOST = 100_000;
const FENCE = /^(?:```|~~~)/;
const HEADING = /^(#{1,6})[ \t]+(.+)$/;
const BULLET = /^[-*+][ \t]+(.*)$/;
const NUMBER = /^\d{1,9}[.)][ \t]+(.*)$/;
const QUOTE = /^>[ \t]?(.*)$/;
/** The line below the head of a table. */
const RULE = /^(?=.*-)(?=.*\|)[|:\- \t]+$/;
/** Columns of a table. Lines with more stay a paragraph. */
const MOST_COLUMNS = 50;

/** The blocks of a text, in one pass over its lines. */
export function blocksOf(text: string): readonly Block[] {
  const lines = text.slice(0, MOST).replaceAll('\r\n', '\n').split('\n');
  const blocks: Block[] = [];
  let at = 0;
  /** Takes lines as long as `match` finds one. */
  const take = (match: (line: string) => string | null): string[] => {
    const taken: string[] = [];
    for (let found = match(lines[at] ?? ''); at < lines.length && found !== null; found = match(lines[at] ?? '')) {
      taken.push(found);
      at++;
    }
    return taken;
  };
  const isTable = (index: number): boolean =>
    (lines[index] ?? '').includes('|') &&
    RULE.test(lines[index + 1] ?? '') &&
    cellsOf(lines[index] ?? '').length <= MOST_COLUMNS;
  const by = (pattern: RegExp) => (line: string) => pattern.exec(line.trimStart())?.[1] ?? null;
  while (at < lines.length) {
    const line = (lines[at] ?? '').trimStart();
    const heading = HEADING.exec(line);
    if (line === '') at++;
    else if (FENCE.test(line)) {
      at++;
      const code = take((one) => (FENCE.test(one.trimStart()) ? null : one));
      at++;
      blocks.push({ type: 'code', text: code.join('\n') });
    } else if (heading) {
      at++;
      blocks.push({ type: 'heading', level: heading[1]?.length ?? 1, text: (heading[2] ?? '').replace(/\s+#+$/, '') });
    } else if (BULLET.test(line)) blocks.push({ type: 'list', isOrdered: false, items: take(by(BULLET)) });
    else if (NUMBER.test(line)) blocks.push({ type: 'list', isOrdered: true, items: take(by(NUMBER)) });
    else if (QUOTE.test(line)) blocks.push({ type: 'quote', text: take(by(QUOTE)).join(' ') });
    else if (isTable(at)) {
      const [head = [], , ...rows] = take((one) => (one.includes('|') ? one : null)).map(cellsOf);
      blocks.push({ type: 'table', head, rows: rows.map((row) => row.slice(0, head.length)) });
    } else
      blocks.push({
        type: 'paragraph',
        text: take((one) => (startsBlock(one) || isTable(at) ? null : one.trim())).join(' '),
      });
  }
  return blocks;
}

/** The cells of a line of a table. A bar after a backslash is one of the text. */
function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function startsBlock(line: string): boolean {
  const text = line.trimStart();
  return text === '' || [FENCE, HEADING, BULLET, NUMBER, QUOTE].some((one) => one.test(text));
}

/** Code, strong, emphasis, or a link. Each alternative ends at the first closing sign, so that it takes linear time. */
const SPAN =
  /`([^`]{1,1000})`|\*\*([^*]{1,1000})\*\*|\*([^*\s][^*]{0,1000})\*|!?\[([^\][]{0,500})\]\(([^()\s]{1,2000})\)/g;

export function spansOf(text: string): readonly Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(SPAN)) {
    if (match.index > end) spans.push({ type: 'text', text: text.slice(end, match.index) });
    end = match.index + match[0].length;
    const [whole, code, strong, emphasis, label, address] = match;
    if (code !== undefined) spans.push({ type: 'code', text: code });
    else if (strong !== undefined) spans.push({ type: 'strong', text: strong });
    else if (emphasis !== undefined) spans.push({ type: 'emphasis', text: emphasis });
    else spans.push(linkOf(label ?? '', address ?? '', whole));
  }
  if (end < text.length) spans.push({ type: 'text', text: text.slice(end) });
  return spans;
}

/** A link where the address is one of a web page or of a mail, or a relative one, else the text as it was written. */
function linkOf(label: string, address: string, whole: string): Span {
  const url = URL.parse(address);
  const isOpen = url !== null && ['http:', 'https:', 'mailto:'].includes(url.protocol);
  if (isOpen) return { type: 'link', text: label, href: url.href };
  const isRelative = url === null && !/^[\\/]{2}|^[a-z][a-z\d+.-]*:/i.test(address);
  if (!isRelative) return { type: 'text', text: whole };
  return { type: 'relative', text: label, address, isPicture: whole.startsWith('!'), whole };
}
