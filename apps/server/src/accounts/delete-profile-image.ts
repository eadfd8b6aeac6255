import type { Answer } from '../http/index.ts';
import type { Person } from '../platform.ts';
import type { AccountServices } from './accounts.ts';
import { deleteProfileImage } from './profile-image-queries.ts';

/** Removes the image of the caller; none is fine. */
export async function removeProfileImage({ platform }: AccountServices, person: Person): Promise<Answer> {
  const blob = await platform.database.write((transaction) => deleteProfileImage(transaction, person.id));
  if (blob) await platform.blobs.remove(blob);
  return { status: 204 };
}
