import { accessChanged } from '../authorization/index.ts';
import type { Database, Queries } from '../../foundation/storage/index.ts';
import { isBlocked, type AccountState } from './identity-provider.ts';

/**
 * Records whether an account is blocked, for all processes: applications of a blocked account can call nothing. To be
 * called in the transaction of the decision, if there is one.
 */
export async function recordBlocked(
  transaction: Queries,
  userId: string,
  state: AccountState,
  now: number,
): Promise<void> {
  if (isBlocked(state))
    await transaction
      .insertInto('blocked_users')
      .values({ user_id: userId, blocked_at: now })
      .onConflict((conflict) => conflict.column('user_id').doNothing())
      .execute();
  else await transaction.deleteFrom('blocked_users').where('user_id', '=', userId).execute();
}

/** Records a decision that was made in an external identity provider. Writes only if the record changes. */
export async function updateBlocked(
  database: Database,
  userId: string,
  state: AccountState,
  now: number,
): Promise<void> {
  const row = await database.read
    .selectFrom('blocked_users')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if ((row !== undefined) === isBlocked(state)) return;
  await database.write((transaction) => recordBlocked(transaction, userId, state, now));
  accessChanged(database);
}
