/** Identifies a span in a distributed trace (W3C Trace Context, level 2). */
export interface TraceContext {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all zero. */
  readonly spanId: string;
  /** SAMPLED and RANDOM; unknown flags of later versions are not passed on (§3.2.2.5). */
  readonly flags: number;
}

const SAMPLED = 1;
const RANDOM = 2;
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Most characters of a `traceparent`; a longer one is ignored. */
const LONGEST = 512;

/** Parses the header `traceparent`; null if it is absent or must be ignored. */
export function parseTraceparent(header: string | string[] | undefined): TraceContext | null {
  if (typeof header !== 'string' || header.length > LONGEST) return null;
  const [, version, traceId, spanId, flags, more] = FORM.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  // Version 00 has no further fields. Further fields of later versions are ignored.
  if (version === '00' && more !== undefined) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & (SAMPLED | RANDOM) };
}

export function formatTraceparent({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;
}

export function isSampled({ flags }: TraceContext): boolean {
  return (flags & SAMPLED) !== 0;
}
