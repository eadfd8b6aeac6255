import { accessChanged } from '../../authorization/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { Database, IdentityRow, Queries } from '../../../foundation/storage/index.ts';
import {
  decidedMeanwhile,
  type Administration,
  type Identity,
  type RegisteredPerson,
  type AccountState,
} from '../identity-provider.ts';
import { recordBlocked } from '../blocked-users.ts';
import { toIdentity } from '../base/queries.ts';

/** The operations of administrators at the embedded provider. */
export function createEmbeddedAdministration({ database, now }: Platform): Administration {
  return {
    find: (subject) => findRegistered(database.read, subject),
    async list(status, cursor, limit) {
      const people = await pageOfPeople(database.read, status, cursor, limit);
      return people.map((person) => ({ id: person.id, person }));
    },
    async change(subject, from, to) {
      const changed = await changeState(database, subject, from, to, now());
      accessChanged(database);
      return changed;
    },
  };
}

/** The person with this address, in lower case, or null. */
export async function findIdentityByEmail(queries: Queries, email: string): Promise<Identity | null> {
  const row = await queries.selectFrom('identities').selectAll().where('email', '=', email).executeTakeFirst();
  return row ? toIdentity(row) : null;
}

async function findRegistered(queries: Queries, id: string): Promise<RegisteredPerson | null> {
  const row = await queries.selectFrom('identities').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toRegistered(row) : null;
}

/** A page of people, newest first, after the person with id `cursor`. */
async function pageOfPeople(
  queries: Queries,
  status: Identity['status'] | null,
  cursor: string | null,
  limit: number,
): Promise<RegisteredPerson[]> {
  let query = queries.selectFrom('identities').selectAll().orderBy('id', 'desc').limit(limit);
  if (status !== null) query = query.where('status', '=', status);
  if (cursor !== null) query = query.where('id', '<', cursor);
  return (await query.execute()).map(toRegistered);
}

/** Compares and changes the state in one statement, so that one of two concurrent decisions fails. */
async function changeState(
  database: Database,
  id: string,
  from: AccountState,
  to: AccountState,
  now: number,
): Promise<RegisteredPerson | null> {
  const changed = await database.write(async (transaction) => {
    const row = await transaction
      .updateTable('identities')
      .set({ status: to.status, enabled: to.enabled ? 1 : 0 })
      .where('id', '=', id)
      .where('status', '=', from.status)
      .where('enabled', '=', from.enabled ? 1 : 0)
      .returningAll()
      .executeTakeFirst();
    if (row) await recordBlocked(transaction, id, to, now);
    return row;
  });
  if (changed) return toRegistered(changed);
  if (await findRegistered(database.read, id)) throw decidedMeanwhile();
  return null;
}

function toRegistered(row: IdentityRow): RegisteredPerson {
  return { ...toIdentity(row), createdAt: row.created_at };
}
