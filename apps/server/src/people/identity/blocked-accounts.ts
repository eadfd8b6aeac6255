import { accessChanged } from '../authorization/index.ts';
import type { Database, Queries } from '../../foundation/storage/index.ts';
import { isBlocked, type AccountState } from './identity-provider.ts';

/**
 * Notes whether somebody is shut out where every process finds it: the applications of who is call nothing any more. To be
 * called in the transaction of the decision where there is one.
 */
export async function recordBlocked(
  transaction: Queries,
  userId: string,
  standing: AccountState,
  now: number,
): Promise<void> {
  if (isBlocked(standing))
    await transaction
      .insertInto('blocked_users')
      .values({ user_id: userId, blocked_at: now })
      .onConflict((conflict) => conflict.column('user_id').doNothing())
      .execute();
  else await transaction.deleteFrom('blocked_users').where('user_id', '=', userId).execute();
}

/** The same of what another program has decided, as it was just read there; writes nothing when it is noted already. */
export async function updateBlocked(
  database: Database,
  userId: string,
  standing: AccountState,
  now: number,
): Promise<void> {
  const noted = await database.read
    .selectFrom('blocked_users')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if ((noted !== undefined) === isBlocked(standing)) return;
  await database.write((transaction) => recordBlocked(transaction, userId, standing, now));
  accessChanged(database);
}
