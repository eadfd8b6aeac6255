import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyRequest } from 'fastify';
import { lockAccountShared } from '../deletions/index.ts';
import type { Answer } from '../../foundation/http/index.ts';
import type { Person, Platform } from '../../foundation/platform.ts';
import { markOrphan, removeOrphans, claimBlob, type ProfileImageRow } from '../../foundation/storage/index.ts';
import type { AccountServices } from './services.ts';
import { decodeImage } from './decode-image.ts';
import { replaceProfileImage } from './profile-image-queries.ts';
import { lockUser } from './queries.ts';
import { userOf } from './read-me.ts';
import { receiveImage } from './receive-image.ts';

/** The folder of incoming uploads. The next start deletes files that a crash has left there. */
export function uploadFolder({ configuration }: Platform): string {
  return path.join(configuration.dataDir, 'uploads');
}

/** Replaces the caller's image. The current one stays if the new one is refused. */
export async function postProfileImage(
  services: AccountServices,
  person: Person,
  request: FastifyRequest,
): Promise<Answer> {
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
  return { status: 204 };
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
