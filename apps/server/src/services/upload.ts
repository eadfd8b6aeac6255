import { Readable } from 'node:stream';
import multipart, { type Multipart } from '@fastify/multipart';
import { limits } from '@kethub/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../http/index.ts';
import { yamlMedia } from './api-specification.ts';
import { bpmnMedia } from './workflow/index.ts';

export const zipMedia = 'application/zip';

/** Takes YAML as text, and lets forms with a file and ZIP bodies through as streams: they are stored while they arrive. */
export async function acceptUploads(app: FastifyInstance): Promise<void> {
  await app.register(multipart, {
    limits: { fileSize: limits.sourceArchiveBytes, files: 1, fields: 8, fieldSize: limits.jsonBodyBytes, parts: 9 },
  });
  app.addContentTypeParser(
    [...yamlMedia],
    { parseAs: 'string', bodyLimit: limits.apiSpecificationBytes },
    (_request, text, done) => done(null, text),
  );
  app.addContentTypeParser([...bpmnMedia], { bodyLimit: Number.MAX_SAFE_INTEGER }, (_request, payload, done) =>
    done(null, payload),
  );
  app.addContentTypeParser(zipMedia, { bodyLimit: Number.MAX_SAFE_INTEGER }, (_request, payload, done) =>
    done(null, payload),
  );
}

/** Hands over the parts of a form one after the other. Throws invalid-request when it is damaged or not complete. */
export async function readParts(request: FastifyRequest, read: (part: Multipart) => Promise<void>): Promise<void> {
  let reading: { readonly errored: Error | null } | null = null;
  try {
    for await (const part of request.parts()) {
      reading = part.type === 'file' ? part.file : { errored: null };
      await read(part);
      reading = null;
    }
  } catch (error) {
    // Whoever reads a file that breaks off may fail in another way, also before they begin.
    if (error instanceof Problem || !isOfForm(reading ? reading.errored : error)) throw error;
    throw new Problem('invalid-request', 'The form cannot be read: it is damaged or not complete.', { cause: error });
  }
}

/** Only what is wrong with the form itself has no code: a limit that was reached has one, a full disk as well. */
function isOfForm(error: unknown): boolean {
  return error instanceof Error && !('code' in error);
}

/** The body as a stream. Throws unsupported-media-type when it is none. */
export function uploadOf(request: FastifyRequest): Readable {
  if (request.body instanceof Readable) return request.body;
  throw new Problem('unsupported-media-type', `Send the ZIP as the body with Content-Type: ${zipMedia}.`);
}
