import path from 'node:path';
import type { Platform } from '../platform.ts';
import type { Queries, Seal } from '../storage/index.ts';
import { removeFilesTo } from './files.ts';
import { deleteMails, listMailsTo } from './queries.ts';
import type { Mail } from './transport.ts';

/** Authenticated with each sealed mail. */
export const PURPOSE = 'outgoing_mails';

/** A keyed hash of an address: says of two mails whether they are for the same person, and to nobody else for whom. */
export function recipientOf(seal: Seal, address: string): string {
  return seal.mac(PURPOSE, address.normalize('NFC').trim().toLowerCase()).slice(0, 32);
}

/** Where mails become files without a mail server. */
export function outboxOf({ configuration }: Pick<Platform, 'configuration'>): string {
  return path.join(configuration.dataDir, 'outbox');
}

/** Deletes what has not been handed over to these recipients. A mail server that has taken a mail keeps it. */
export async function withdrawMails(transaction: Queries, seal: Seal, recipients: readonly string[]): Promise<void> {
  if (recipients.length === 0) return;
  const mails = await listMailsTo(transaction, recipients);
  const theirs = mails.filter(
    // A row of an earlier version does not say whom it is for.
    ({ recipient, sealed_content }) => recipient !== null || recipients.includes(recipientIn(seal, sealed_content)),
  );
  await deleteMails(
    transaction,
    theirs.map(({ id }) => id),
  );
}

/** Removes the files of mails to these recipients; may be repeated. */
export async function removeMailFiles(
  platform: Pick<Platform, 'configuration' | 'seal'>,
  recipients: readonly string[],
): Promise<void> {
  if (recipients.length === 0) return;
  await removeFilesTo(outboxOf(platform), recipients, (address) => recipientOf(platform.seal, address));
}

function recipientIn(seal: Seal, sealed: string): string {
  try {
    return recipientOf(seal, (JSON.parse(seal.unseal(PURPOSE, sealed)) as Mail).to);
  } catch {
    // Of another instance key: nobody can read it, or send it.
    return '';
  }
}
