/** The lines that the end of an address marks, such as `L3` or `L3-L8`; null when it marks none. */
export function markedLines(hash: string): { readonly from: number; readonly to: number } | null {
  const [, first, last] = /^#?L(\d{1,7})(?:-L(\d{1,7}))?$/.exec(hash) ?? [];
  if (first === undefined) return null;
  const [from = 0, to = 0] = [Number(first), Number(last ?? first)].toSorted((a, b) => a - b);
  return from > 0 ? { from, to } : null;
}

/** Signs that change the direction of a text, by which code can look different from what it does. */
export function hasHiddenSigns(text: string): boolean {
  return /[\u202a-\u202e\u2066-\u2069]/.test(text);
}
