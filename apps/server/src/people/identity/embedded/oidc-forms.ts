import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem, acceptBodies, readForm, readQuery } from '../../../foundation/http/index.ts';
import { errorPage } from '../base/pages.ts';
import { send } from '../base/forms.ts';

/** Bytes of a form, as many as oidc-provider reads; a larger one is refused with 413. */
const FORM_BYTES = 56 * 1024;
const FORM = 'application/x-www-form-urlencoded';

/**
 * Validates bodies and queries of the provider's routes before oidc-provider reads them. It would replace bytes that
 * are not UTF-8 with U+FFFD, and decode a form in the charset that its media type names.
 */
export function judgeForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  acceptBodies(scope, {
    media: '*',
    bytes: FORM_BYTES,
    parse(bytes, { raw }) {
      // oidc-provider refuses other media types without reading them.
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

/** Makes the body readable again for oidc-provider, which uses only these two members. */
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

/** Answers a program with an error of RFC 6749 §5.2, and a browser with a page. */
function refuse(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  void reply.headers({ ...problem.headers, 'cache-control': 'no-store' });
  const wantsPage = request.headers.accept?.includes('text/html') ?? false;
  if (wantsPage) return send(reply, problem.status, errorPage(problem.message));
  return reply.status(problem.status).send({ error: 'invalid_request', error_description: problem.message });
}
