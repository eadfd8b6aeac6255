import { Readable } from 'node:stream';
import multipart, { type Multipart } from '@fastify/multipart';
import { limits } from '@kethub/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acceptBodies, Problem, readText } from '../../foundation/http/index.ts';
import { yamlMedia } from './api-specification.ts';
import { bpmnMedia } from './workflow/index.ts';

export const zipMedia = 'application/zip';

/**
 * Parses YAML as text. Passes forms with a file, ZIP and BPMN bodies on as streams, which are stored while they arrive.
 */
export async function acceptUploads(app: FastifyInstance): Promise<void> {
  await app.register(multipart, {
    limits: { fileSize: limits.sourceArchiveBytes, files: 1, fields: 8, fieldSize: limits.jsonBodyBytes, parts: 9 },
  });
  acceptBodies(app, {
    media: [...yamlMedia],
    bytes: limits.apiSpecificationBytes,
    parse: (bytes) => readText(bytes, 'The document'),
  });
  app.addContentTypeParser([...bpmnMedia], { bodyLimit: Number.MAX_SAFE_INTEGER }, (_request, payload, done) =>
    done(null, payload),
  );
  app.addContentTypeParser(zipMedia, { bodyLimit: Number.MAX_SAFE_INTEGER }, (_request, payload, done) =>
    done(null, payload),
  );
}

interface FormLimits {
  readonly fileSize?: number;
  readonly files?: number;
  readonly parts?: number;
  /** True if a file may be named by a path, such as `src/program.py`. */
  readonly preservePath?: boolean;
}

/**
 * Calls `read` with the parts of a form, one after the other. Throws invalid-request when it is damaged or incomplete.
 */
export async function readParts(
  request: FastifyRequest,
  read: (part: Multipart) => Promise<void> | void,
  { preservePath = false, ...more }: FormLimits = {},
): Promise<void> {
  let reading: { readonly errored: Error | null } | null = null;
  try {
    for await (const part of request.parts({ limits: more, preservePath })) {
      reading = part.type === 'file' ? part.file : { errored: null };
      requireUtf8(part);
      await read(part);
      reading = null;
    }
  } catch (error) {
    // When a file breaks off, its reader may fail with another error first.
    if (error instanceof Problem || !isOfForm(reading ? reading.errored : error)) throw error;
    throw new Problem('invalid-request', 'The form cannot be read: it is damaged or not complete.', { cause: error });
  }
}

/** The replacement character of the decoder for bytes that are not UTF-8. */
const REPLACEMENT = '\u{fffd}';

/** Throws invalid-request for a field or name that is not UTF-8. The decoder has replaced the wrong bytes. */
function requireUtf8(part: Multipart): void {
  const name = part.fieldname;
  const texts = part.type === 'file' ? [name, part.filename] : [name, String(part.value)];
  const broken = texts.find((text) => text.includes(REPLACEMENT));
  if (broken === undefined) return;
  const at = Buffer.byteLength(broken.slice(0, broken.indexOf(REPLACEMENT)));
  const what = broken === name ? 'The name of a part' : `The part "${name}"`;
  throw new Problem('invalid-request', `${what} is not UTF-8 at its byte ${at}. Encode it as UTF-8.`, {
    errors: [{ pointer: broken === name ? '' : `/${name}`, detail: `is not UTF-8 at byte ${at}` }],
  });
}

/** Returns whether the form itself caused an error. Only such errors have no code; limits and a full disk have one. */
function isOfForm(error: unknown): boolean {
  return error instanceof Error && !('code' in error);
}

/** Returns the body as a stream. Throws unsupported-media-type for a body of another type. */
export function uploadOf(request: FastifyRequest): Readable {
  if (request.body instanceof Readable) return request.body;
  throw new Problem('unsupported-media-type', `Send the ZIP as the body with Content-Type: ${zipMedia}.`);
}
