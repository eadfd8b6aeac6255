import { endDeletion } from '../deletions/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import { removeMailFiles, withdrawMails } from '../../foundation/mail/index.ts';
import type { AccountDeletionRow } from '../../foundation/storage/index.ts';
import type { AccountServices } from './services.ts';

/**
 * The steps after the first, in an order that may be cut off anywhere and gone through again, by two processes at once
 * as well: the image out of the store, mails out of the outbox, the person out of the identity provider, the note that it is done. Throws
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
      'Everything of this account is deleted but its identity: the identity provider fails. Repeat the request to complete the deletion, or leave it to Kethub, which goes on trying.',
      { cause },
    );
  }
  await platform.database.write(async (transaction) => {
    // What was posted since the first step, such as a decision about them.
    await withdrawMails(transaction, platform.seal, theirs);
    await endDeletion(transaction, user_id, platform.now());
  });
  await platform.database.overwriteDeleted();
}
