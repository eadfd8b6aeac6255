/** The middle value; of two middle ones the mean. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new Error('There is no median of nothing');
  return (low + high) / 2;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value that `part` of all, 0 to 1, do not exceed: one of them (nearest rank). */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
  if (value === undefined) throw new Error('There is no percentile of nothing');
  return value;
}

/**
 * Mann-Whitney U of two samples as a standard normal deviate: beyond ± 3.29 by chance once in a thousand times when both
 * come from one distribution. Without a correction for ties, which times of this resolution hardly have.
 */
export function mannWhitney(left: readonly number[], right: readonly number[]): number {
  const all = [...left.map((value) => ({ value, side: 0 })), ...right.map((value) => ({ value, side: 1 }))];
  all.sort((a, b) => a.value - b.value);
  const ranks = all.reduce((sum, { side }, index) => (side === 0 ? sum + index + 1 : sum), 0);
  const [n, m] = [left.length, right.length];
  const u = ranks - (n * (n + 1)) / 2;
  return (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}

/** The same in an order that has nothing to do with the one they came in, each order as likely as any other. */
export function mixed<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
