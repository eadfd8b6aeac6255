/** Merges lists round-robin: the first element of each, then the second of each, and so on. */
export function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_value, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
