/** The lines that the end of an address marks, such as `L3` or `L3-L8`; null when it marks none. */
export function markedLines(hash: string): { readonly from: number; readonly to: number } | null {
  const [, first, last] = /^#?L(\d{1,7})(?:-L(\d{1,7}))?$/.exec(hash) ?? [];
  if (first === undefined) return null;
  const [from = 0, to = 0] = [Number(first), Number(last ?? first)].toSorted((a, b) => a - b);
  return from > 0 ? { from, to } : null;
}

/** Signs that change the direction of a text, by which code can look different from what it does. */
export function hasHiddenSigns(text: string): boolean {
  return DIRECTIONS.test(text);
}

const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/;
// oxlint-disable-next-line no-control-regex -- names of files may hold them
const UNSEEN = /[\0-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A name with the signs that nobody sees written out, such as `\u202e`: it must not look like another name. */
export function seenName(name: string): string {
  return name.replaceAll(UNSEEN, (sign) => String.raw`\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
