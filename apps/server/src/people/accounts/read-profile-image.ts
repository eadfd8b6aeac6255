import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { etag, isFresh, type Answer } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { ProfileImageRow } from '../../foundation/storage/index.ts';
import type { AccountServices } from './services.ts';
import { requireApproved } from './approved-users.ts';
import { findProfileImage } from './profile-image-queries.ts';

/** Seconds for which a client may keep an image: ten days, as the specification says. */
const CACHE = 'max-age=864000, must-revalidate';

/** The image of an approved user; 204 when there is none, 304 when the caller has it. */
export async function readProfileImage(
  { platform, identity }: AccountServices,
  id: string,
  request: FastifyRequest,
): Promise<Answer> {
  await requireApproved(identity, id);
  const image = await findProfileImage(platform.database.read, id);
  // An image may be uploaded at any time: an empty answer must not be cached.
  if (!image) return { status: 204, headers: { 'cache-control': 'no-cache' } };
  if (isFresh(request, etag(image.digest))) return { status: 304, headers: headersOf(image) };
  const opened = await open(platform, image);
  if (!opened) return { status: 204, headers: { 'cache-control': 'no-cache' } };
  const headers = {
    ...headersOf(opened.image),
    'content-type': opened.image.media_type,
    'content-length': String(opened.image.bytes),
    'x-content-type-options': 'nosniff',
  };
  return { status: 200, headers, body: opened.stream };
}

function headersOf({ digest }: ProfileImageRow): Record<string, string> {
  return { etag: etag(digest), 'cache-control': CACHE };
}

/** The bytes of an image, or of the one that has just replaced it; null when it was deleted meanwhile. */
async function open(
  platform: Platform,
  image: ProfileImageRow,
): Promise<{ image: ProfileImageRow; stream: Readable } | null> {
  try {
    const { stream } = await platform.blobs.get(image.blob);
    return { image, stream };
  } catch (error) {
    const now = await findProfileImage(platform.database.read, image.user_id);
    if (now?.blob === image.blob) throw error;
    return now ? open(platform, now) : null;
  }
}
