import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '@kethub/service-api';
import { readQuery } from '@kethub/service-api';

const JSON_MEDIA = 'application/json';
const FORM_MEDIA = 'multipart/form-data';

/** The part of an endpoint that decides which bodies it accepts. */
export interface Takes {
  readonly method: string;
  readonly query?: object;
  readonly body?: object;
  readonly consumes?: Readonly<Record<string, object>>;
}

/** Returns whether the endpoint ignores bodies: it neither reads nor checks them. */
export function takesNoBody({ method, body, consumes }: Takes): boolean {
  return !body && !consumes && method !== 'GET' && method !== 'HEAD';
}

/** Leaves bodies of every type unread, on all routes of this scope. */
export function leaveBodiesUnread(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/**
 * Returns a check that runs before the body is read. It refuses a query that is not UTF-8 (400), and a body of
 * another media type or encoding than declared (415). An operation that accepts several media types checks them
 * itself.
 */
export function judgeRequest(endpoint: Takes): (request: FastifyRequest) => Problem | undefined {
  const media = mediaOf(endpoint);
  return (request) => {
    if (endpoint.query) {
      const { url } = request;
      const start = url.indexOf('?');
      const problem = start < 0 || !url.includes('%', start) ? undefined : judgeQuery(url.slice(start + 1));
      if (problem) return problem;
    }
    return media !== null && hasBody(request) ? judgeMedia(request, media) : undefined;
  };
}

function mediaOf({ body, consumes }: Takes): string | null {
  if (body) return JSON_MEDIA;
  const kinds = Object.keys(consumes ?? {});
  return kinds.length === 1 && kinds[0] === FORM_MEDIA ? FORM_MEDIA : null;
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function judgeMedia({ headers }: FastifyRequest, media: string): Problem | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity')
    return new Problem('unsupported-media-type', 'Send the body as it is, without Content-Encoding.', {
      headers: { 'accept-encoding': 'identity' },
    });
  const [sent = ''] = headers['content-type']?.split(';') ?? [];
  if (sent.trim().toLowerCase() === media) return undefined;
  return new Problem('unsupported-media-type', `Send the body as Content-Type: ${media}.`, {
    headers: { accept: media },
  });
}

function judgeQuery(query: string): Problem | undefined {
  try {
    readQuery(query);
    return undefined;
  } catch (error) {
    return error as Problem;
  }
}
