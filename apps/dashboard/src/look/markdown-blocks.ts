/** A part of a text with Markdown that stands on lines of its own. */
export type Block =
  | { readonly type: 'heading'; readonly level: number; readonly text: string }
  | { readonly type: 'paragraph'; readonly text: string }
  | { readonly type: 'quote'; readonly blocks: readonly Block[] }
  | { readonly type: 'code'; readonly text: string; readonly language: string }
  | { readonly type: 'list'; readonly isOrdered: boolean; readonly first: number; readonly items: readonly Item[] }
  | { readonly type: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly type: 'rule' };

/** An item of a list. `isDone` is null for one that is no task. */
export interface Item {
  readonly isDone: boolean | null;
  readonly blocks: readonly Block[];
}

/** Characters of a text that are looked at; the rest is left out. */
export const MARKDOWN_LENGTH = 100_000;
/** Lists and quotes within each other; what is deeper is text. */
const DEEPEST = 8;
/** Columns of a table. Lines with more stay a paragraph. */
const MOST_COLUMNS = 50;
const FENCE = /^(`{3,}|~{3,})[ \t]*([\w+#.-]{0,40})/;
const HEADING = /^(#{1,6})[ \t]+(.+)$/;
const UNDERLINE = /^(=+|-{2,})[ \t]*$/;
const RULE = /^([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const ITEM = /^(?:[-*+]|(\d{1,9})[.)])[ \t]+(.*)$/;
const TASK = /^\[([ xX])\][ \t]+(.*)$/;
const QUOTE = /^>[ \t]?(.*)$/;
/** The line below the head of a table. */
const DIVIDER = /^(?=.*-)(?=.*\|)[|:\- ]+$/;
const CODE_INDENT = 4;

/** The blocks of a text. Each line is looked at once for each list or quote that it lies in. */
export function blocksOf(text: string): readonly Block[] {
  return parse(text.slice(0, MARKDOWN_LENGTH).replaceAll('\r\n', '\n').replaceAll('\t', '    ').split('\n'), 0);
}

function parse(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  const isNested = depth < DEEPEST;
  let at = 0;
  /** Takes lines as long as `isPart` says so. */
  const take = (isPart: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && isPart(lines[at] ?? '')) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const whole = lines[at] ?? '';
    const line = whole.trim();
    const heading = HEADING.exec(line);
    const fence = FENCE.exec(line);
    if (line === '') at++;
    else if (indentOf(whole) >= CODE_INDENT) {
      const code = take((one) => one.trim() === '' || indentOf(one) >= CODE_INDENT);
      blocks.push({ type: 'code', text: code.map(outdented(CODE_INDENT)).join('\n').trimEnd(), language: '' });
    } else if (fence) {
      at++;
      const code = take((one) => !isEndOf(fence[1] ?? '', one.trim())).map(outdented(indentOf(whole)));
      at++;
      blocks.push({ type: 'code', text: code.join('\n'), language: fence[2] ?? '' });
    } else if (heading) {
      at++;
      blocks.push({
        type: 'heading',
        level: heading[1]?.length ?? 1,
        text: (heading[2] ?? '').replace(/(?<! ) +#+$/, ''),
      });
    } else if (RULE.test(line)) {
      at++;
      blocks.push({ type: 'rule' });
    } else if (isNested && ITEM.test(line)) blocks.push(takeList());
    else if (isNested && QUOTE.test(line)) {
      const inner = take((one) => QUOTE.test(one.trim())).map((one) => QUOTE.exec(one.trim())?.[1] ?? '');
      blocks.push({ type: 'quote', blocks: parse(inner, depth + 1) });
    } else if (isTable()) {
      const [head = [], , ...rows] = take((one) => one.includes('|')).map(cellsOf);
      blocks.push({ type: 'table', head, rows: rows.map((row) => row.slice(0, head.length)) });
    } else {
      at++;
      const text = [line, ...take((one) => !startsBlock(one) && !isTable()).map((one) => one.trim())].join(' ');
      const underline = UNDERLINE.exec((lines[at] ?? '').trim());
      if (underline) at++;
      blocks.push(
        underline
          ? { type: 'heading', level: underline[1]?.startsWith('=') ? 1 : 2, text }
          : { type: 'paragraph', text },
      );
    }
  }
  return blocks;

  function isTable(): boolean {
    const [head = '', divider = ''] = lines.slice(at, at + 2);
    return head.includes('|') && DIVIDER.test(divider) && cellsOf(head).length <= MOST_COLUMNS;
  }

  /** Takes the items of a list. A line that is indented further than the marker belongs to its item. */
  function takeList(): Block {
    const [, number] = ITEM.exec((lines[at] ?? '').trim()) ?? [];
    const isOrdered = number !== undefined;
    const indent = indentOf(lines[at] ?? '');
    const items: Item[] = [];
    for (;;) {
      const line = lines[at] ?? '';
      const found = ITEM.exec(line.trim());
      if (!found || RULE.test(line.trim()) || (found[1] !== undefined) !== isOrdered || indentOf(line) > indent + 1)
        break;
      at++;
      const task = TASK.exec(found[2] ?? '');
      const width = line.trimEnd().length - (found[2] ?? '').length;
      const inner = takeItem(indent).map(outdented(width));
      const blocks = parse([task?.[2] ?? found[2] ?? '', ...inner], depth + 1);
      items.push({ isDone: task ? task[1] !== ' ' : null, blocks });
    }
    return { type: 'list', isOrdered, first: Number(number ?? 1), items };
  }

  function takeItem(indent: number): string[] {
    let isAfterBlank = false;
    return take((line) => {
      const isBlank = line.trim() === '';
      const isInside = isBlank
        ? followsInside(indent)
        : indentOf(line) > indent || (!isAfterBlank && !startsBlock(line));
      isAfterBlank = isBlank;
      return isInside;
    });
  }

  /** Returns whether an item goes on after the blank line here, in which case its next item may follow. */
  function followsInside(indent: number): boolean {
    const next = lines[at + 1] ?? '';
    return next.trim() !== '' && (indentOf(next) > indent || ITEM.test(next.trim()));
  }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Takes at most this many spaces from the begin of a line. */
function outdented(most: number): (line: string) => string {
  return (line) => line.slice(Math.min(most, indentOf(line)));
}

function isEndOf(fence: string, line: string): boolean {
  return line.startsWith(fence) && line === (fence[0] ?? '').repeat(line.length);
}

function startsBlock(line: string): boolean {
  const text = line.trim();
  return text === '' || [FENCE, HEADING, ITEM, QUOTE, RULE, UNDERLINE].some((one) => one.test(text));
}

/** The cells of a row. `\|` is a sign of a cell. */
function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'));
}
