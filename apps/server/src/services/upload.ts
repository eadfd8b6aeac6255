import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../http/index.ts';

const MEDIA = 'application/zip';

/** Lets ZIP bodies through as streams: they are stored while they arrive. */
export function acceptUploads(app: FastifyInstance): void {
  app.addContentTypeParser(MEDIA, { bodyLimit: Number.MAX_SAFE_INTEGER }, (_request, payload, done) =>
    done(null, payload),
  );
}

/** The body as a stream. Throws unsupported-media-type when it is none. */
export function uploadOf(request: FastifyRequest): Readable {
  if (request.body instanceof Readable) return request.body;
  throw new Problem('unsupported-media-type', `Send the ZIP as the body with Content-Type: ${MEDIA}.`);
}
