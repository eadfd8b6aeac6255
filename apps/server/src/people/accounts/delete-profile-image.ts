import type { Answer } from '../../foundation/http/index.ts';
import type { Person } from '../../foundation/platform.ts';
import { markOrphan, removeOrphans } from '../../foundation/storage/index.ts';
import type { AccountServices } from './services.ts';
import { deleteProfileImage } from './profile-image-queries.ts';

/** Removes the image of the caller, if there is one. */
export async function removeProfileImage({ platform }: AccountServices, person: Person): Promise<Answer> {
  const { database, blobs, now } = platform;
  const blob = await database.write(async (transaction) => {
    const gone = await deleteProfileImage(transaction, person.id);
    if (gone) await markOrphan(transaction, gone, now());
    return gone;
  });
  if (blob) await removeOrphans(database, blobs, [blob]);
  return { status: 204 };
}
