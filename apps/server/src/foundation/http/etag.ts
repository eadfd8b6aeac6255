import type { IncomingHttpHeaders } from 'node:http';
import { etag, isFresh, Problem } from '@kethub/service-api';
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

/** Headers of an answer that must not be kept. */
export const noStore = { 'cache-control': 'no-store' };

/** A resource with its ETag. */
export interface Tagged<T> {
  readonly body: T;
  readonly tag: string;
}

/** A resource that was created, or that has taken the place of another. */
export interface Put<T> extends Tagged<T> {
  readonly isNew: boolean;
}

/** Answers 201 for a resource that is new, else 200. */
export function answerPut({ isNew, ...tagged }: Put<unknown>): Answer {
  return { ...answerTagged(tagged), status: isNew ? 201 : 200 };
}

/** Answers a resource with its ETag and other headers. */
export function answerTagged({ body, tag }: Tagged<unknown>, others: Readonly<Record<string, string>> = {}) {
  return { status: 200, body, headers: { etag: tag, ...others } } satisfies Answer;
}

/** Answers a resource with its ETag, or 304 to a caller who has it (`If-None-Match`). */
export function answerUnlessFresh(
  request: { readonly headers: IncomingHttpHeaders },
  { body, tag }: Tagged<unknown>,
  others: Readonly<Record<string, string>> = {},
): Answer {
  const answer = answerTagged({ body, tag }, others);
  return isFresh(request, tag) ? { status: 304, headers: answer.headers } : answer;
}

/** Answers a resource with its ETag. */
export function answerRevised({ body, revision }: Revised<unknown>): Answer {
  return { status: 200, body, headers: { etag: etag(revision) } };
}
