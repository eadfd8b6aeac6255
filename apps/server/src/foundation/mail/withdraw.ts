import path from 'node:path';
import type { Platform } from '../platform.ts';
import type { Queries, Seal } from '../storage/index.ts';
import { removeFilesTo } from './files.ts';
import { deleteMails, listMailsTo } from './queries.ts';
import type { Mail } from './transport.ts';

/** Purpose under which mails are sealed. */
export const PURPOSE = 'outgoing_mails';

/** A keyed hash of an address. It shows whether two mails have the same recipient, without revealing who it is. */
export function recipientOf(seal: Seal, address: string): string {
  return seal.mac(PURPOSE, address.normalize('NFC').trim().toLowerCase()).slice(0, 32);
}

/** The folder of mails for an installation without a mail server. */
export function outboxOf({ configuration }: Pick<Platform, 'configuration'>): string {
  return path.join(configuration.dataDir, 'outbox');
}

/** Deletes undelivered mails to these recipients. A mail server keeps a mail that it has accepted. */
export async function withdrawMails(transaction: Queries, seal: Seal, recipients: readonly string[]): Promise<void> {
  if (recipients.length === 0) return;
  const mails = await listMailsTo(transaction, recipients);
  const theirs = mails.filter(
    // A row of an earlier version has no recipient; it is read from the content.
    ({ recipient, sealed_content }) => recipient !== null || recipients.includes(recipientIn(seal, sealed_content)),
  );
  await deleteMails(
    transaction,
    theirs.map(({ id }) => id),
  );
}

/** Removes the files of mails to these recipients. Repeatable. */
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
    // Sealed with another instance key, so the mail can be neither read nor sent.
    return '';
  }
}
