import { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import { limits } from '@kethub/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../http/index.ts';

const MEDIA = 'application/zip';

/** Lets forms with a file and ZIP bodies through as streams: they are stored while they arrive. */
export async function acceptUploads(app: FastifyInstance): Promise<void> {
  await app.register(multipart, {
    limits: { fileSize: limits.sourceArchiveBytes, files: 1, fields: 8, fieldSize: limits.jsonBodyBytes, parts: 9 },
  });
  app.addContentTypeParser(MEDIA, { bodyLimit: Number.MAX_SAFE_INTEGER }, (_request, payload, done) =>
    done(null, payload),
  );
}

/** The body as a stream. Throws unsupported-media-type when it is none. */
export function uploadOf(request: FastifyRequest): Readable {
  if (request.body instanceof Readable) return request.body;
  throw new Problem('unsupported-media-type', `Send the ZIP as the body with Content-Type: ${MEDIA}.`);
}
