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

/** The value that the share `part` of all (0 to 1) does not exceed: one of them (nearest rank). */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
  if (value === undefined) throw new Error('There is no percentile of nothing');
  return value;
}

/**
 * Mann-Whitney U of two samples as a standard normal deviate. If both have one distribution, it is beyond ± 3.29 once
 * in a thousand times. It has no correction for ties, which are rare in times of this resolution.
 */
export function mannWhitney(left: readonly number[], right: readonly number[]): number {
  const all = [...left.map((value) => ({ value, side: 0 })), ...right.map((value) => ({ value, side: 1 }))];
  all.sort((a, b) => a.value - b.value);
  const ranks = all.reduce((sum, { side }, index) => (side === 0 ? sum + index + 1 : sum), 0);
  const [n, m] = [left.length, right.length];
  const u = ranks - (n * (n + 1)) / 2;
  return (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}

/** Shuffles: each order is equally likely. */
export function mixed<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, order: Math.random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ value }) => value);
}
