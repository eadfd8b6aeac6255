import { findDeletion, lockAccount } from '../deletions/index.ts';
import type { Identity } from '../identity/index.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import type { AccountServices } from './services.ts';
import { upsertUser } from './queries.ts';

/**
 * Updates the search with people who are new or have another name; triggers queue them in `search_changes`. So people
 * are found before their first visit, and under a new name at once. Handles at most `most` people and returns their
 * number.
 */
export async function updateSearch(
  { platform, identity, ownerRenamed }: AccountServices,
  most: number,
): Promise<number> {
  const { database, now } = platform;
  const noted = await database.read.selectFrom('search_changes').select('user_id').limit(most).execute();
  if (noted.length === 0) return 0;
  const ids = noted.map(({ user_id }) => user_id);
  const people = await identity.findApproved(ids);
  for (const [index, id] of ids.entries())
    await database.write(async (transaction) => {
      await lockAccount(database, transaction, id, 'SHARED');
      await transaction.deleteFrom('search_changes').where('user_id', '=', id).execute();
      const person = people[index];
      if (person && !(await findDeletion(transaction, id)))
        await upsertUser(transaction, rowOf(person, now()), ownerRenamed);
    });
  // People who changed between the read and the removal from the queue are queued again.
  const since = await identity.findApproved(ids);
  const changed = ids.filter((_id, index) => nameOf(since[index]) !== nameOf(people[index]));
  if (changed.length > 0) await database.write((transaction) => note(transaction, changed));
  return ids.length;
}

async function note(transaction: Queries, ids: readonly string[]): Promise<void> {
  for (const user_id of ids)
    await transaction
      .insertInto('search_changes')
      .values({ user_id })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

function nameOf(person: Identity | null | undefined): string {
  return person ? JSON.stringify([person.username, person.firstname, person.lastname]) : '';
}

function rowOf({ id, username, email, firstname, lastname }: Identity, now: number) {
  const profile = { current_position: null, homepage: null, about: null };
  return { id, username, email, firstname, lastname, ...profile, created_at: now, updated_at: now };
}
