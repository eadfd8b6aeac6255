import { limits } from '@kethub/contract/limits';

/** Seconds that `Prefer: wait=N` (RFC 7240 §4.3) asks for, at most the limit; 0 without one. */
export function preferredWait(header: string | string[] | undefined): number {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  const wait = /(?:^|[,;]\s*)wait\s*=\s*"?(\d{1,6})"?/i.exec(text)?.[1];
  return wait === undefined ? 0 : Math.min(Number(wait), limits.preferWaitSeconds);
}
