import { compareVersions } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';

/** The greatest minor number of a version. Beyond it the caller must choose a number. */
const MOST = 999_999_999;

/**
 * The number of the next version: the wanted one, which must be greater than all others. Without one, the first version
 * is 1.0.0, and the middle number goes up (1.4.2 → 1.5.0). Throws conflict.
 */
export function nextVersion(versions: readonly string[], wanted?: string): string {
  const latest = versions.toSorted(compareVersions).at(-1);
  if (wanted === undefined) {
    if (latest === undefined) return '1.0.0';
    const [major = 0, minor = 0] = latest.split('.').map(Number);
    if (minor < MOST) return `${major}.${minor + 1}.0`;
    throw new Problem('conflict', `No number follows ${latest} by itself. Choose one with ?version=.`);
  }
  if (latest !== undefined && compareVersions(wanted, latest) <= 0) {
    throw new Problem('conflict', `Version ${wanted} is not greater than ${latest}, which exists already.`, {
      errors: [{ pointer: '/version', detail: `must be greater than ${latest}` }],
    });
  }
  return wanted;
}
