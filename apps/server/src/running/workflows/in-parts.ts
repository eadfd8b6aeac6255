import { isOutage } from '../../foundation/storage/index.ts';

/**
 * Writes many rows together. When that fails, halves are tried, until each culprit stands alone and is passed to
 * `failed`. Returns the number of rows written. Throws when the database is away.
 */
export async function inParts<T>(
  all: readonly T[],
  writeAll: (some: readonly T[]) => Promise<void>,
  failed: (one: T, error: unknown) => Promise<void>,
): Promise<{ readonly done: number }> {
  const [only] = all;
  if (only === undefined) return { done: 0 };
  try {
    await writeAll(all);
    return { done: all.length };
  } catch (error) {
    if (isOutage(error)) throw error;
    if (all.length === 1) {
      await failed(only, error);
      return { done: 0 };
    }
    const half = Math.ceil(all.length / 2);
    const first = await inParts(all.slice(0, half), writeAll, failed);
    const second = await inParts(all.slice(half), writeAll, failed);
    return { done: first.done + second.done };
  }
}
