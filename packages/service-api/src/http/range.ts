import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from './problem.ts';

/** First and last byte, both inclusive. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The byte range that a request asks for, or null if the whole content is to be sent. That is so without Range, if
 * If-Range does not name `tag`, and for other units, several ranges and malformed ones (RFC 9110 §14.2 allows it).
 * Throws `range-not-satisfiable`.
 */
export function requestedRange(
  { headers }: { readonly headers: IncomingHttpHeaders },
  bytes: number,
  tag: string,
): ByteRange | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(headers.range?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  const condition = headers['if-range'];
  if (condition !== undefined && String(condition).trim() !== tag) return null;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const to = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (from < bytes && !(first === '' && Number(last) === 0)) return { from, to };
  throw new Problem(
    'range-not-satisfiable',
    `The file has ${bytes} bytes; the range ${headers.range} selects none of them.`,
    {
      headers: { 'content-range': `bytes */${bytes}` },
    },
  );
}
