import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem, acceptBodies, readForm, readQuery } from '../../../foundation/http/index.ts';
import { errorPage } from '../base/pages.ts';
import { send } from '../base/forms.ts';

/** The library reads at most 56 KiB of a form, in bytes. A larger one is refused with 413. */
const FORM_BYTES = 56 * 1024;
const FORM = 'application/x-www-form-urlencoded';

/**
 * Reads and judges the bodies and queries of the provider's own routes before the library sees them: it would put U+FFFD in
 * the place of bytes that are not UTF-8, and decode a form in whatever charset its media type names.
 */
export function judgeForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  acceptBodies(scope, {
    media: '*',
    bytes: FORM_BYTES,
    parse(bytes, { raw }) {
      // The library refuses every other media type without reading it.
      if (raw.headers['content-type']?.trimStart().toLowerCase().startsWith(FORM)) {
        readForm(bytes);
        raw.headers['content-type'] = FORM;
      }
      handBack(raw, bytes);
      return null;
    },
  });
  scope.addHook('preHandler', (request, _reply, done) => {
    const [, query = ''] = request.raw.url?.split(/\?(.*)/s) ?? [];
    readQuery(query);
    done();
  });
  scope.setErrorHandler((error, request, reply) => {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return refuse(error, request, reply);
  });
}

/** Lets the library read once more what has been read. It looks at these two members only. */
function handBack(request: IncomingMessage, bytes: Buffer): void {
  Object.defineProperties(request, {
    readable: { value: true, configurable: true },
    iterator: {
      value: async function* again() {
        yield bytes;
      },
    },
  });
}

/** RFC 6749 §5.2 for a program, a page for a browser. */
function refuse(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  void reply.headers({ ...problem.headers, 'cache-control': 'no-store' });
  const wantsPage = request.headers.accept?.includes('text/html') ?? false;
  if (wantsPage) return send(reply, problem.status, errorPage(problem.message));
  return reply.status(problem.status).send({ error: 'invalid_request', error_description: problem.message });
}
