const STEP = /(Enumerating|Counting|Compressing|Receiving|Resolving) (objects|deltas): +(\d{1,3})%/g;

/** The last step that a piece of Git's standard error names, such as `Receiving objects: 45%`; null for none. */
export function stepIn(text: string): string | null {
  const last = [...text.matchAll(STEP)].at(-1);
  return last ? `${last[1] ?? ''} ${last[2] ?? ''}: ${last[3] ?? ''}%` : null;
}
