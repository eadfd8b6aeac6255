/** Where a request stands in a trace that spans several programs (W3C Trace Context, level 2). */
export interface TraceContext {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 of them. */
  readonly spanId: string;
  /** SAMPLED and RANDOM; what else a later version may say is not passed on (§3.2.2.5). */
  readonly flags: number;
}

const SAMPLED = 1;
const RANDOM = 2;
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const LONGEST = 512;

/** The header `traceparent`, or null when there is none, or one that has to be taken as if there were none. */
export function parseTraceparent(header: string | string[] | undefined): TraceContext | null {
  if (typeof header !== 'string' || header.length > LONGEST) return null;
  const [, version, traceId, spanId, flags, more] = FORM.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  // Version 00 ends there; a later one may go on, and is read as far as it is known.
  if (version === '00' && more !== undefined) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & (SAMPLED | RANDOM) };
}

export function formatTraceparent({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;
}

export function isSampled({ flags }: TraceContext): boolean {
  return (flags & SAMPLED) !== 0;
}
