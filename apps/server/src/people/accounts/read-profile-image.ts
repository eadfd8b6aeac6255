import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { etag, isFresh, type Answer } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { ProfileImageRow } from '../../foundation/storage/index.ts';
import type { AccountServices } from './services.ts';
import { requireApproved } from './approved-users.ts';
import { findProfileImage } from './profile-image-queries.ts';

/** Cache-Control of an image: a client may cache it for 864,000 seconds (ten days), as the specification requires. */
const CACHE = 'max-age=864000, must-revalidate';

/** The image of an approved user; 204 if there is none, 304 if the caller has it. */
export async function readProfileImage(
  { platform, identity }: AccountServices,
  id: string,
  request: FastifyRequest,
): Promise<Answer> {
  await requireApproved(identity, id);
  const image = await findProfileImage(platform.database.read, id);
  // An empty answer must not be cached, because an image may be uploaded at any time.
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

/** Opens an image, or the one that has just replaced it; null if it was deleted meanwhile. */
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
