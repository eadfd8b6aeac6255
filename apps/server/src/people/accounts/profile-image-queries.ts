import type { ProfileImageRow, Queries } from '../../foundation/storage/index.ts';

export function findProfileImage(queries: Queries, userId: string): Promise<ProfileImageRow | undefined> {
  return queries.selectFrom('profile_images').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

/** Replaces the image and returns the blob of the previous one, if any. The user must be locked. */
export async function replaceProfileImage(transaction: Queries, image: ProfileImageRow): Promise<string | null> {
  const before = await findProfileImage(transaction, image.user_id);
  const { user_id: _same, ...content } = image;
  await transaction
    .insertInto('profile_images')
    .values(image)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(content))
    .execute();
  return before?.blob ?? null;
}

/** Deletes the image. Returns its blob, which is unused then; null if there was no image. */
export async function deleteProfileImage(transaction: Queries, userId: string): Promise<string | null> {
  const gone = await transaction
    .deleteFrom('profile_images')
    .where('user_id', '=', userId)
    .returning('blob')
    .executeTakeFirst();
  return gone?.blob ?? null;
}
