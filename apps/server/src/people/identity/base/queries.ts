import {
  createLookUp,
  isAmong,
  type Database,
  type IdentityRow,
  type Queries,
} from '../../../foundation/storage/index.ts';
import { isApproved, type Identity } from '../identity-provider.ts';

/** The person of this subject, or null. */
export async function findIdentity(queries: Queries, id: string): Promise<Identity | null> {
  const row = await queries.selectFrom('identities').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toIdentity(row) : null;
}

/** Like `findIdentity`, with a prepared statement, because every request calls it. */
export function createFindIdentity(database: Database): (id: string) => Promise<Identity | null> {
  const lookUp = createLookUp<IdentityRow>(database, 'identities', 'id');
  return async (id) => {
    const row = await lookUp(id);
    return row ? toIdentity(row) : null;
  };
}

/** The approved users among these subjects, in their order; null for each other subject. */
export async function findApproved(queries: Queries, ids: readonly string[]): Promise<(Identity | null)[]> {
  // No subject contains U+0000, and PostgreSQL would reject the statement.
  const asked = ids.filter((id) => !id.includes('\0'));
  const rows = await queries
    .selectFrom('identities')
    .selectAll()
    .where(isAmong(queries, 'id', asked))
    .execute();
  const people = new Map(
    rows.map((row) => [row.id, toIdentity(row)] as const).filter(([, person]) => isApproved(person)),
  );
  return ids.map((id) => people.get(id) ?? null);
}

/** The person with this username, or else with this email address. `name` is in lower case. */
export async function findForSignIn(queries: Queries, name: string): Promise<IdentityRow | null> {
  const rows = await queries
    .selectFrom('identities')
    .selectAll()
    .where((where) => where.or([where('username', '=', name), where('email', '=', name)]))
    .execute();
  return rows.find((row) => row.username === name) ?? rows[0] ?? null;
}

export async function insertIdentity(database: Database, row: IdentityRow): Promise<void> {
  await database.write((transaction) => transaction.insertInto('identities').values(row).execute());
}

/** Removes a person with their login sessions, the links in their mails, and registrations of their address. */
export async function deleteIdentity(database: Database, id: string): Promise<void> {
  await database.write(async (transaction) => {
    const { email = '' } =
      (await transaction.selectFrom('identities').select('email').where('id', '=', id).executeTakeFirst()) ?? {};
    const registrations = await transaction
      .deleteFrom('registrations')
      .where('email', '=', email)
      .returning('id')
      .execute();
    for (const subject of [id, ...registrations.map((one) => one.id)])
      await transaction.deleteFrom('mail_tokens').where('subject', '=', subject).execute();
    await transaction.deleteFrom('identities').where('id', '=', id).execute();
    await transaction.deleteFrom('oidc_records').where('account_id', '=', id).execute();
  });
}

export function toIdentity(row: IdentityRow): Identity {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    emailVerified: row.email_verified === 1,
    firstname: row.firstname,
    lastname: row.lastname,
    status: row.status,
    enabled: row.enabled === 1,
  };
}
