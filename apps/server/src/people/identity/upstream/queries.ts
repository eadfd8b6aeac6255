import type { IdentityRow, Queries, SignInLinkRow } from '../../../foundation/storage/index.ts';

/** The person whom this subject of an external provider signs in, or undefined. */
export function findLinked(queries: Queries, issuer: string, subject: string): Promise<IdentityRow | undefined> {
  return queries
    .selectFrom('identities')
    .innerJoin('sign_in_links', 'sign_in_links.identity_id', 'identities.id')
    .selectAll('identities')
    .where('sign_in_links.issuer', '=', issuer)
    .where('sign_in_links.subject', '=', subject)
    .executeTakeFirst();
}

/** Links the subject; a link that is there already stays. */
export async function insertLink(transaction: Queries, link: SignInLinkRow): Promise<void> {
  await transaction
    .insertInto('sign_in_links')
    .values(link)
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .execute();
}

/** The people, besides `except`, who sign in under this name: their username or their e-mail address. */
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
