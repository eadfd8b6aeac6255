import type { IncomingHttpHeaders } from 'node:http';

/** A strong ETag of a revision counter or another short token. */
export function etag(token: string | number): string {
  return `"${token}"`;
}

/** Returns whether If-None-Match holds `tag`: then 304 is the answer (RFC 9110 §13.1.2). */
export function isFresh({ headers }: { readonly headers: IncomingHttpHeaders }, tag: string): boolean {
  const header = headers['if-none-match'];
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}
