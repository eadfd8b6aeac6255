import type { Database, OutgoingMailRow, Queries } from '../storage/index.ts';

/** The SQL of mails that have not been handed over. */

export async function insertMail(transaction: Queries, mail: OutgoingMailRow): Promise<void> {
  await transaction.insertInto('outgoing_mails').values(mail).execute();
}

/** Longer than any claim and any wait between two attempts. */
const LONGEST_WAIT_MS = 60 * 60_000;

/** Takes up to `most` mails that are due, the longest due first. Nobody else takes them before `leaseEnd`. */
export async function claimMails(
  database: Database,
  { now, leaseEnd, most }: { now: number; leaseEnd: number; most: number },
): Promise<OutgoingMailRow[]> {
  const due = await database.read
    .selectFrom('outgoing_mails')
    .select(['id', 'due_at'])
    // What lies further ahead was put off by a clock that has since been set back.
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
        // Of two processes, one.
        .where('due_at', '=', due_at)
        .returningAll()
        .executeTakeFirst();
      if (row) claimed.push(row);
    }
    return claimed;
  });
}

/** Unless another process has taken the mail meanwhile, which `attempts` tells. */
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

/** Returns whether the mail was there. */
export async function deleteMail(database: Database, id: string): Promise<boolean> {
  const { numDeletedRows } = await database.write((transaction) =>
    transaction.deleteFrom('outgoing_mails').where('id', '=', id).executeTakeFirst(),
  );
  return numDeletedRows > 0n;
}

/** Mails that have not been handed over to these recipients, and those of which it is not known. */
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

/** Whether an account with this recipient was deleted lately. */
export async function isRecipientDeleted({ read }: Database, recipient: string): Promise<boolean> {
  const found = read.selectFrom('account_deletions').select('user_id').where('recipients', 'like', `%"${recipient}"%`);
  return (await found.limit(1).executeTakeFirst()) !== undefined;
}
