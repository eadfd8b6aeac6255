import { hash } from 'node:crypto';
import { limits } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Problem, type Answer } from '../http/index.ts';
import type { Person } from '../platform.ts';
import type { ProfileImageRow } from '../storage/index.ts';
import type { AccountServices } from './accounts.ts';
import { notAuthenticated } from './credentials.ts';
import { decodeImage } from './decode-image.ts';
import { replaceProfileImage } from './profile-image-queries.ts';
import { lockUser } from './queries.ts';
import { userOf } from './read-me.ts';

/** Puts an image in the place of the caller's present one, which stays when anything is wrong with the new. */
export async function postProfileImage(
  services: AccountServices,
  person: Person,
  request: FastifyRequest,
): Promise<Answer> {
  const { platform } = services;
  const { mediaType, bytes } = await decodeImage(await fileOf(request));
  const user = await userOf(services, person);
  const blob = await platform.blobs.put(bytes);
  const image: ProfileImageRow = {
    user_id: user.id,
    blob,
    media_type: mediaType,
    bytes: bytes.length,
    digest: hash('sha256', bytes, 'hex'),
    created_at: platform.now(),
  };
  let unused: string | null = blob;
  try {
    unused = await platform.database.write(async (transaction) => {
      const locked = await lockUser(transaction, user.id, platform.now());
      if (!locked) throw notAuthenticated('The account behind these credentials was deleted.', 'invalid_token');
      return replaceProfileImage(transaction, image);
    });
  } finally {
    if (unused) await platform.blobs.remove(unused);
  }
  return { status: 204 };
}

/** The bytes of the part `file`. Not more than the limit is ever held. */
async function fileOf(request: FastifyRequest): Promise<Buffer> {
  if (!request.isMultipart()) throw missing();
  try {
    const options = { limits: { fileSize: limits.profileImageBytes }, throwFileSizeLimit: false };
    for await (const part of request.parts(options)) {
      if (part.type === 'field') continue;
      const chunks: Buffer[] = [];
      for await (const chunk of part.file) chunks.push(chunk as Buffer);
      if (part.fieldname !== 'file') continue;
      if (part.file.truncated) {
        throw new Problem('invalid-image', `The file is larger than ${limits.profileImageBytes} bytes (5 MB).`);
      }
      if (chunks.length === 0) throw new Problem('invalid-image', 'The file is empty.');
      return Buffer.concat(chunks);
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(
      'invalid-image',
      'The form cannot be read: it is damaged, not complete, or holds another file before the one named "file".',
      { cause: error },
    );
  }
  throw missing();
}

function missing(): Problem {
  return new Problem('invalid-image', 'Send the image as multipart/form-data in a file part named "file".');
}
