/** The number that follows: 1.0.0 at first, then the middle number goes up (1.4.2 → 1.5.0). */
export function nextVersion(versions: readonly string[]): string {
  const latest = versions.map(numbers).sort(descending)[0];
  return latest ? `${latest[0]}.${latest[1] + 1}.0` : '1.0.0';
}

type Numbers = readonly [number, number, number];

function numbers(version: string): Numbers {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return [major, minor, patch];
}

function descending(a: Numbers, b: Numbers): number {
  return b[0] - a[0] || b[1] - a[1] || b[2] - a[2];
}
