import { etag, Problem } from '@kethub/service-api';
import type { Answer } from './endpoint.ts';

/** Requires that the header If-Match, when sent, names `tag`. Throws `stale` (412) otherwise. */
export function requireMatch(ifMatch: string | undefined, tag: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  if (!ifMatch.split(',').some((one) => one.trim() === tag)) {
    throw new Problem(
      'stale',
      `If-Match names ${ifMatch}, but the resource is now ${tag}. Read it again, then repeat the change.`,
    );
  }
}

/** A resource with the revision that its ETag is made of. */
export interface Revised<T> {
  readonly body: T;
  readonly revision: number;
}

/** Answers a resource with its ETag. */
export function answerRevised({ body, revision }: Revised<unknown>): Answer {
  return { status: 200, body, headers: { etag: etag(revision) } };
}
