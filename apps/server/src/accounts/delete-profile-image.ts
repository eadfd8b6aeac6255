import type { Answer } from '../http/index.ts';
import type { Person } from '../platform.ts';
import { noteUnused, removeUnused } from '../storage/index.ts';
import type { AccountServices } from './accounts.ts';
import { deleteProfileImage } from './profile-image-queries.ts';

/** Removes the image of the caller; none is fine. */
export async function removeProfileImage({ platform }: AccountServices, person: Person): Promise<Answer> {
  const { database, blobs, now } = platform;
  const blob = await database.write(async (transaction) => {
    const gone = await deleteProfileImage(transaction, person.id);
    if (gone) await noteUnused(transaction, gone, now());
    return gone;
  });
  if (blob) await removeUnused(database, blobs, [blob]);
  return { status: 204 };
}
