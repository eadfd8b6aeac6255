import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import { limits } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../foundation/http/index.ts';

/** Streams the part `file` of the form into a new file. Throws invalid-image as soon as it is too large. */
export async function receiveImage(request: FastifyRequest, file: string): Promise<void> {
  if (!request.isMultipart()) throw missing();
  try {
    const options = { limits: { fileSize: limits.profileImageBytes }, throwFileSizeLimit: false };
    for await (const part of request.parts(options)) {
      if (part.type === 'field') continue;
      if (part.fieldname === 'file') return await write(part, file);
      part.file.resume();
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    // An error of the file system, such as a full disk, is no error of the form.
    if (error instanceof Error && 'syscall' in error) throw error;
    throw new Problem(
      'invalid-image',
      'The form cannot be read: it is damaged, not complete, or holds another file before the one named "file".',
      { cause: error },
    );
  }
  throw missing();
}

async function write({ file: upload }: MultipartFile, file: string): Promise<void> {
  const limit = new AbortController();
  upload.once('limit', () => limit.abort());
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  try {
    await pipeline(upload, target, { signal: limit.signal });
  } catch (error) {
    if (!limit.signal.aborted) throw error;
  }
  if (limit.signal.aborted || upload.truncated) {
    throw new Problem('invalid-image', `The file is larger than ${limits.profileImageBytes} bytes (5 MB).`);
  }
  if (target.bytesWritten === 0) throw new Problem('invalid-image', 'The file is empty.');
}

function missing(): Problem {
  return new Problem('invalid-image', 'Send the image as multipart/form-data in a file part named "file".');
}
