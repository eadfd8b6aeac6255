/** One of each in turns, until all are through. */
export function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_value, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
