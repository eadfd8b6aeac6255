import { Problem } from '../../foundation/http/index.ts';

const MOST = 999_999_999;

/**
 * The number of the next version: the wanted one, which has to be greater than all that exist; else 1.0.0 at first, then
 * the middle number goes up (1.4.2 → 1.5.0). Throws conflict.
 */
export function nextVersion(versions: readonly string[], wanted?: string): string {
  const latest = versions.map(numbers).sort(descending)[0];
  if (wanted === undefined) {
    if (latest && latest[1] >= MOST)
      throw new Problem('conflict', `After ${latest.join('.')} comes no number by itself. Choose one with ?version=.`);
    return latest ? `${latest[0]}.${latest[1] + 1}.0` : '1.0.0';
  }
  if (latest && descending(numbers(wanted), latest) >= 0) {
    throw new Problem('conflict', `Version ${wanted} is not greater than ${latest.join('.')}, which exists already.`, {
      errors: [{ pointer: '/version', detail: `must be greater than ${latest.join('.')}` }],
    });
  }
  return wanted;
}

/** Negative when `a` is the greater of the two. */
export function compareVersions(a: string, b: string): number {
  return descending(numbers(a), numbers(b));
}

type Numbers = readonly [number, number, number];

function numbers(version: string): Numbers {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return [major, minor, patch];
}

function descending(a: Numbers, b: Numbers): number {
  return b[0] - a[0] || b[1] - a[1] || b[2] - a[2];
}
