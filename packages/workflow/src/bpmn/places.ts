/** Where a tag begins, its own id, and that of the nearest element around it that has one. */
export interface Tag {
  readonly at: number;
  readonly id: string | null;
  readonly around: string | null;
}

const TAG = /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<\?[^]*?\?>|<(\/?)[^\s<>/"']+((?:[^<>"']|"[^"]*"|'[^']*')*)>/g;
const ID = /\sid\s*=\s*(?:"([^"]*)"|'([^']*)')/;

/** Finds elements by places in the text of a file. Looks at the whole file once. */
export class Places {
  readonly #lines: readonly number[];
  readonly #tags: readonly Tag[];

  constructor(xml: string) {
    this.#lines = [0, ...[...xml.matchAll(/\n/g)].map(({ index }) => index + 1)];
    this.#tags = tagsOf(xml);
  }

  /** The tag at or before a place that a parser names by line and column, both counted from 0. */
  tagAt(line: number, column: number): Tag | null {
    const offset = (this.#lines[line] ?? 0) + column;
    let from = 0;
    let to = this.#tags.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#tags[middle]?.at ?? 0) <= offset) from = middle + 1;
      else to = middle;
    }
    return this.#tags[from - 1] ?? null;
  }
}

function tagsOf(xml: string): Tag[] {
  const tags: Tag[] = [];
  const open: (string | null)[] = [];
  for (const match of xml.matchAll(TAG)) {
    const [, closing, attributes] = match;
    if (attributes === undefined) continue;
    if (closing === '/') {
      open.pop();
      continue;
    }
    const [, double, single] = ID.exec(attributes) ?? [];
    const around = open.at(-1) ?? null;
    const id = double ?? single ?? null;
    tags.push({ at: match.index, id, around });
    if (!attributes.endsWith('/')) open.push(id ?? around);
  }
  return tags;
}
