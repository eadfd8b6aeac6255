import type { FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';

/** A strong ETag of a revision counter or another short token. */
export function etag(token: string | number): string {
  return `"${token}"`;
}

/** Whether If-None-Match holds `tag`: then 304 is the answer (RFC 9110 §13.1.2). */
export function isFresh(request: FastifyRequest, tag: string): boolean {
  const header = request.headers['if-none-match'];
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}

/** Requires that If-Match, when sent, names `tag`. Throws `stale` (412) otherwise. */
export function requireMatch(request: FastifyRequest, tag: string): void {
  const header = request.headers['if-match'];
  if (header === undefined || header.trim() === '*') return;
  if (!header.split(',').some((one) => one.trim() === tag)) {
    throw new Problem(
      'stale',
      `If-Match names ${header}, but the resource is now ${tag}. Read it again, then repeat the change.`,
    );
  }
}
