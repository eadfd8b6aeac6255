import type { Database, OutgoingMailRow, Queries } from '../storage/index.ts';

/** The SQL of the outbox. */

export async function insertMail(transaction: Queries, mail: OutgoingMailRow): Promise<void> {
  await transaction.insertInto('outgoing_mails').values(mail).execute();
}

/** Milliseconds, longer than any claim and any wait between attempts. A mail due later than this is due now. */
const LONGEST_WAIT_MS = 60 * 60_000;

/** Claims up to `most` due mails, the longest due first. No other process claims them before `leaseEnd`. */
export async function claimMails(
  database: Database,
  { now, leaseEnd, most }: { now: number; leaseEnd: number; most: number },
): Promise<OutgoingMailRow[]> {
  const due = await database.read
    .selectFrom('outgoing_mails')
    .select(['id', 'due_at'])
    // A due time further ahead was set by a clock that has since been set back.
    .where(({ or, eb }) => or([eb('due_at', '<=', now), eb('due_at', '>', now + LONGEST_WAIT_MS)]))
    .orderBy('due_at')
    .limit(most)
    .execute();
  if (due.length === 0) return [];
  return database.write(async (transaction) => {
    const claimed: OutgoingMailRow[] = [];
    for (const { id, due_at } of due) {
      const row = await transaction
        .updateTable('outgoing_mails')
        .set((mail) => ({ due_at: leaseEnd, attempts: mail('attempts', '+', 1) }))
        .where('id', '=', id)
        // If two processes claim the mail, one succeeds.
        .where('due_at', '=', due_at)
        .returningAll()
        .executeTakeFirst();
      if (row) claimed.push(row);
    }
    return claimed;
  });
}

/** Defers a mail, unless another process has claimed it meanwhile and so increased `attempts`. */
export async function deferMail(
  database: Database,
  { id, attempts }: Pick<OutgoingMailRow, 'id' | 'attempts'>,
  dueAt: number,
): Promise<void> {
  await database.write((transaction) =>
    transaction
      .updateTable('outgoing_mails')
      .set({ due_at: dueAt })
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .execute(),
  );
}

/** Deletes a mail. Returns whether it existed. */
export async function deleteMail(database: Database, id: string): Promise<boolean> {
  const { numDeletedRows } = await database.write((transaction) =>
    transaction.deleteFrom('outgoing_mails').where('id', '=', id).executeTakeFirst(),
  );
  return numDeletedRows > 0n;
}

/** Undelivered mails to these recipients, and those of an earlier version without a recipient. */
export function listMailsTo(
  queries: Queries,
  recipients: readonly string[],
): Promise<Pick<OutgoingMailRow, 'id' | 'recipient' | 'sealed_content'>[]> {
  return queries
    .selectFrom('outgoing_mails')
    .select(['id', 'recipient', 'sealed_content'])
    .where(({ or, eb }) => or([eb('recipient', 'in', recipients), eb('recipient', 'is', null)]))
    .execute();
}

export async function deleteMails(transaction: Queries, ids: readonly string[]): Promise<void> {
  for (const id of ids) await transaction.deleteFrom('outgoing_mails').where('id', '=', id).execute();
}

/** Returns whether an account with this recipient hash was deleted lately. */
export async function isRecipientDeleted({ read }: Database, recipient: string): Promise<boolean> {
  const found = read.selectFrom('account_deletions').select('user_id').where('recipients', 'like', `%"${recipient}"%`);
  return (await found.limit(1).executeTakeFirst()) !== undefined;
}
