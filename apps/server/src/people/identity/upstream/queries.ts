import type { IdentityRow, Queries, SignInLinkRow } from '../../../foundation/storage/index.ts';

/** The identity to which this subject of an upstream provider is linked, or undefined. */
export function findLinked(queries: Queries, issuer: string, subject: string): Promise<IdentityRow | undefined> {
  return queries
    .selectFrom('identities')
    .innerJoin('sign_in_links', 'sign_in_links.identity_id', 'identities.id')
    .selectAll('identities')
    .where('sign_in_links.issuer', '=', issuer)
    .where('sign_in_links.subject', '=', subject)
    .executeTakeFirst();
}

/** Links the subject to an identity, unless it is linked already. */
export async function insertLink(transaction: Queries, link: SignInLinkRow): Promise<void> {
  await transaction
    .insertInto('sign_in_links')
    .values(link)
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .execute();
}

/** Ids of the people, except `except`, with this username or email address. */
export async function findHolders(queries: Queries, name: string, except = ''): Promise<string[]> {
  const rows = await queries
    .selectFrom('identities')
    .select('id')
    .where((where) => where.or([where('username', '=', name), where('email', '=', name)]))
    .where('id', '!=', except)
    .execute();
  return rows.map(({ id }) => id);
}

export async function updateIdentity(
  transaction: Queries,
  id: string,
  changed: Partial<Pick<IdentityRow, 'username' | 'email' | 'email_verified' | 'firstname' | 'lastname'>>,
): Promise<void> {
  await transaction.updateTable('identities').set(changed).where('id', '=', id).execute();
}
