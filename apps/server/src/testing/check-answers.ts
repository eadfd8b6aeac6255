import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Described {
  readonly type?: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

/**
 * Checks every answer of a server against its interface description: the status, the media type and the shape of the
 * body. An answer that differs makes the closing of the server fail, and with it the test file. Call it before adding
 * endpoints.
 */
export function checkAnswers(app: FastifyInstance): void {
  const wrong = new Set<string>();
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const fits = (schema: object, body: unknown): string | null => {
    for (const [id, shared] of Object.entries(app.getSchemas())) {
      if (!ajv.getSchema(id)) ajv.addSchema(shared as object, id);
    }
    return ajv.validate(schema, body) ? null : ajv.errorsText();
  };
  app.addHook('onSend', (request, reply, payload, done) => {
    const fault = faultOf(request, reply, payload, fits);
    const { method, url } = request.routeOptions;
    if (fault) wrong.add(`${String(method)} ${url}: ${reply.statusCode} ${fault}`);
    done(null, payload);
  });
  // The hook is async, because nobody catches an error that a hook throws synchronously.
  app.addHook('onClose', async () => {
    if (wrong.size > 0) throw new Error(`Answers that are not as described:\n${[...wrong].join('\n')}`);
  });
}

function faultOf(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  fits: (schema: object, body: unknown) => string | null,
): string | null {
  const described = request.routeOptions.schema?.response as Record<string, Described> | undefined;
  // No endpoint has this address, or a page has it.
  if (!described) return null;
  const answer = described[reply.statusCode];
  if (!answer) return 'is not described';
  const empty = payload === undefined || payload === null || payload === '';
  if (!answer.content) return empty ? null : 'has a body, which is not described';
  if (empty) return request.method === 'HEAD' ? null : 'has no body';
  const media = String(reply.getHeader('content-type')).split(';')[0] ?? '';
  const content = answer.content[media];
  if (!content) return `is ${media}, which is not described`;
  return typeof payload === 'string' ? fits(content.schema, JSON.parse(payload)) : null;
}
