import { endDeletion } from '../deletions/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import { removeMailFiles, withdrawMails } from '../../foundation/mail/index.ts';
import { markOrphan, removeOrphans, type AccountDeletionRow } from '../../foundation/storage/index.ts';
import type { AccountServices } from './services.ts';

/**
 * The remaining steps of a deletion: deletes the image, mails in the outbox, and the person at the identity provider,
 * and records the end. It can be interrupted anywhere, and two processes may run it at the same time. Throws
 * deletion-incomplete if the identity provider fails.
 */
export async function finishDeletion(
  { platform, identity }: AccountServices,
  { user_id, image_blob, recipients }: AccountDeletionRow,
): Promise<void> {
  if (image_blob !== null) {
    // While a backup copies it, it stays, and the sweep removes it later.
    await platform.database.write((transaction) => markOrphan(transaction, image_blob, platform.now()));
    await removeOrphans(platform.database, platform.blobs, [image_blob]);
  }
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
    // Withdraws mails that were posted since the first step, such as a decision about the person.
    await withdrawMails(transaction, platform.seal, theirs);
    await endDeletion(transaction, user_id, platform.now());
  });
  await platform.database.overwriteDeleted();
}
