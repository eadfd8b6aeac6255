import path from 'node:path';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { etag, isFresh, type Answer } from '../../foundation/http/index.ts';
import type { Platform, Person } from '../../foundation/platform.ts';
import { type ProfileImageRow, markOrphan, removeOrphans, claimBlob } from '../../foundation/storage/index.ts';
import { lockAccountShared } from '../deletions/index.ts';
import type { AccountServices } from './services.ts';
import { requireApproved } from './approved-users.ts';
import { findProfileImage, replaceProfileImage, deleteProfileImage } from './profile-image-queries.ts';
import { decodeImage } from './decode-image.ts';
import { lockUser } from './queries.ts';
import { userOf } from './me.ts';
import { receiveImage } from './receive-image.ts';

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

/** The folder of incoming uploads. The next start deletes files that a crash has left there. */
export function uploadFolder({ configuration }: Platform): string {
  return path.join(configuration.dataDir, 'uploads');
}

/** Replaces the caller's image. The current one stays if the new one is refused. */
export async function postProfileImage(
  services: AccountServices,
  person: Person,
  request: FastifyRequest,
): Promise<void> {
  const { platform } = services;
  await mkdir(uploadFolder(platform), { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(path.join(uploadFolder(platform), 'image-'));
  try {
    const [upload, clean] = [path.join(folder, 'upload'), path.join(folder, 'clean')];
    await receiveImage(request, upload);
    const media_type = await decodeImage(upload, clean);
    const user = await userOf(services, person);
    await store(platform, clean, {
      user_id: user.id,
      media_type,
      created_at: platform.now(),
      ...(await measure(clean)),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Stores the file as a blob and replaces the current one by it. A failure leaves no unused blob behind. */
async function store(platform: Platform, file: string, content: Omit<ProfileImageRow, 'blob'>): Promise<void> {
  const { database, blobs, now } = platform;
  const blob = blobs.newKey();
  await database.write((transaction) => markOrphan(transaction, blob, now()));
  let unused: string | null = blob;
  try {
    await blobs.put(createReadStream(file), blob);
    unused = await database.write(async (transaction) => {
      await lockAccountShared(database, transaction, content.user_id);
      await lockUser(transaction, content.user_id, now());
      await claimBlob(transaction, blob);
      const before = await replaceProfileImage(transaction, { ...content, blob });
      if (before) await markOrphan(transaction, before, now());
      return before;
    });
  } finally {
    if (unused) await removeOrphans(database, blobs, [unused]);
  }
}

async function measure(file: string): Promise<{ bytes: number; digest: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, digest: hash.digest('hex') };
}

/** Removes the image of the caller, if there is one. */
export async function removeProfileImage({ platform }: AccountServices, person: Person): Promise<void> {
  const { database, blobs, now } = platform;
  const blob = await database.write(async (transaction) => {
    const gone = await deleteProfileImage(transaction, person.id);
    if (gone) await markOrphan(transaction, gone, now());
    return gone;
  });
  if (blob) await removeOrphans(database, blobs, [blob]);
}
