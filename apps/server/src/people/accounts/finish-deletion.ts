import { endDeletion } from '../deletions/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import { removeMailFiles, withdrawMails } from '../../foundation/mail/index.ts';
import type { AccountDeletionRow } from '../../foundation/storage/index.ts';
import type { AccountServices } from './services.ts';

/**
 * The steps after the first: deletes the image from the store, mails from the outbox and the person from the identity
 * provider, and records the end. The order allows an interruption anywhere, and two processes at the same time. Throws
 * deletion-incomplete when the identity provider fails.
 */
export async function finishDeletion(
  { platform, identity }: AccountServices,
  { user_id, image_blob, recipients }: AccountDeletionRow,
): Promise<void> {
  if (image_blob !== null) await platform.blobs.remove(image_blob);
  const theirs = JSON.parse(recipients) as string[];
  await removeMailFiles(platform, theirs);
  try {
    await identity.delete(user_id);
  } catch (cause) {
    throw new Problem(
      'deletion-incomplete',
      'The account is deleted except for its identity, because the identity provider fails. Kethub keeps trying. You can also repeat the request.',
      { cause },
    );
  }
  await platform.database.write(async (transaction) => {
    // Mails that were posted since the first step, such as a decision about the person.
    await withdrawMails(transaction, platform.seal, theirs);
    await endDeletion(transaction, user_id, platform.now());
  });
  await platform.database.overwriteDeleted();
}
