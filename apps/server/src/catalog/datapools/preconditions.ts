import type { IncomingHttpHeaders } from 'node:http';
import { isFresh, Problem, requireMatch } from '../../foundation/http/index.ts';

/**
 * Checks the preconditions of a write (RFC 9110 §13.1). `If-Match` names the existing file, `If-None-Match: *` requires
 * that there is none. `tag` is null without a file. Throws `stale` if they do not hold.
 */
export function requirePreconditions(request: { readonly headers: IncomingHttpHeaders }, tag: string | null): void {
  if (tag !== null && isFresh(request, tag))
    throw new Problem('stale', `There is a file of this name already, with the entity tag ${tag}.`);
  if (tag === null && request.headers['if-match'] !== undefined)
    throw new Problem('stale', 'If-Match was sent, but there is no file of this name.');
  if (tag !== null) requireMatch(request.headers['if-match'], tag);
}
