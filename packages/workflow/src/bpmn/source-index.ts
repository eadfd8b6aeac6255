import { attributeNames, markup } from './xml.ts';

/** A tag: its position, its own id, and the id of the nearest element around it that has one. */
export interface Tag {
  readonly at: number;
  readonly id: string | null;
  readonly around: string | null;
  readonly text: string;
}

const ID = /\sid\s*=\s*(?:"([^"]*)"|'([^']*)')/;

/** Finds elements by positions in the text of a file. Scans the file once. */
export class SourceIndex {
  readonly #lines: readonly number[];
  readonly #tags: readonly Tag[];
  readonly #ofVendors = new Map<string, ReadonlySet<string>>();

  constructor(xml: string) {
    this.#lines = [0, ...[...xml.matchAll(/\n/g)].map(({ index }) => index + 1)];
    this.#tags = tagsOf(xml);
  }

  /** The tag at or before a position, given by a parser as line and column, both counted from 0. */
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

  /** Returns whether an element has an attribute of this name with a prefix, and none without. */
  isOfVendor(id: string, attribute: string): boolean {
    if (this.#ofVendors.size === 0)
      for (const tag of this.#tags) if (tag.id !== null) this.#ofVendors.set(tag.id, ofVendors(tag.text));
    return this.#ofVendors.get(id)?.has(attribute) === true;
  }
}

function tagsOf(xml: string): Tag[] {
  const tags: Tag[] = [];
  const open: (string | null)[] = [];
  for (const { kind, from, to } of markup(xml)) {
    if (kind === 'closing') open.pop();
    if (kind !== 'opening') continue;
    const text = xml.slice(from, to);
    const [, double, single] = ID.exec(text) ?? [];
    const around = open.at(-1) ?? null;
    const id = double ?? single ?? null;
    tags.push({ at: from, id, around, text });
    if (!text.endsWith('/')) open.push(id ?? around);
  }
  return tags;
}

/** Names without their prefixes, of attributes that are written with prefixes only. */
function ofVendors(tag: string): ReadonlySet<string> {
  const names = attributeNames(tag);
  const plain = new Set(names);
  return new Set(
    names
      .filter((name) => name.includes(':'))
      .map((name) => name.slice(name.indexOf(':') + 1))
      .filter((name) => !plain.has(name)),
  );
}
