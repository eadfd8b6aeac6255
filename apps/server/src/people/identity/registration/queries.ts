import type { MailTokenRow, Queries, RegistrationRow } from '../../../foundation/storage/index.ts';
import type { Identity } from '../identity-provider.ts';
import { findIdentity } from '../base/queries.ts';

/** The SQL of registrations with an unconfirmed address, and of tokens sent by mail. */

export async function insertRegistration(transaction: Queries, row: RegistrationRow): Promise<void> {
  await transaction.insertInto('registrations').values(row).execute();
}

export function findRegistration(queries: Queries, id: string): Promise<RegistrationRow | undefined> {
  return queries.selectFrom('registrations').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The newest registration with this username or email address, in lower case. */
export function findNewestRegistration(queries: Queries, name: string): Promise<RegistrationRow | undefined> {
  return queries
    .selectFrom('registrations')
    .selectAll()
    .where((where) => where.or([where('username', '=', name), where('email', '=', name)]))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function deleteRegistration(transaction: Queries, id: string): Promise<void> {
  await transaction.deleteFrom('registrations').where('id', '=', id).execute();
}

/** Deletes registrations that were created until `until`. */
export async function deleteRegistrationsUntil(transaction: Queries, until: number): Promise<void> {
  await transaction.deleteFrom('registrations').where('created_at', '<=', until).execute();
}

export async function insertMailToken(transaction: Queries, token: MailTokenRow): Promise<void> {
  await transaction.insertInto('mail_tokens').values(token).execute();
}

/** The subject of a token; undefined if the token is unknown, expired or for another purpose. */
export async function findSubjectOfToken(
  queries: Queries,
  token: Omit<MailTokenRow, 'subject' | 'expires_at'>,
  now: number,
) {
  const row = await queries
    .selectFrom('mail_tokens')
    .select('subject')
    .where('digest', '=', token.digest)
    .where('purpose', '=', token.purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.subject;
}

/** Like `findSubjectOfToken`, and deletes the token, so that one of two concurrent requests gets the subject. */
export async function consumeToken(
  transaction: Queries,
  token: Omit<MailTokenRow, 'subject' | 'expires_at'>,
  now: number,
) {
  const row = await transaction
    .deleteFrom('mail_tokens')
    .where('digest', '=', token.digest)
    .where('purpose', '=', token.purpose)
    .where('expires_at', '>', now)
    .returning('subject')
    .executeTakeFirst();
  return row?.subject;
}

export async function deleteTokensOf(transaction: Queries, subject: string): Promise<void> {
  await transaction.deleteFrom('mail_tokens').where('subject', '=', subject).execute();
}

export async function deleteTokensUntil(transaction: Queries, until: number): Promise<void> {
  await transaction.deleteFrom('mail_tokens').where('expires_at', '<=', until).execute();
}

/**
 * Sets the password, and marks the address as verified: the person has read a mail there. Returns whether the person
 * exists.
 */
export async function updatePassword(transaction: Queries, id: string, passwordHash: string): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('identities')
    .set({ password_hash: passwordHash, email_verified: 1 })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Ends all browser sessions and refresh tokens of a person. */
export async function deleteSessionsOf(transaction: Queries, id: string): Promise<void> {
  await transaction.deleteFrom('oidc_records').where('account_id', '=', id).execute();
}

/** The person of this subject, also with an unconfirmed address, or null. */
export async function findPerson(queries: Queries, id: string): Promise<Identity | null> {
  return (await findIdentity(queries, id)) ?? findUnverified(queries, id);
}

/** The registration with this id and an unconfirmed address, as an identity without access, or null. */
export async function findUnverified(queries: Queries, id: string): Promise<Identity | null> {
  return unverifiedIdentity(await findRegistration(queries, id));
}

/** Like `findUnverified`, by the address in lower case; the newest of several registrations. */
export async function findUnverifiedByEmail(queries: Queries, email: string): Promise<Identity | null> {
  const registrations = queries.selectFrom('registrations').selectAll().where('email', '=', email);
  return unverifiedIdentity(await registrations.orderBy('id', 'desc').limit(1).executeTakeFirst());
}

function unverifiedIdentity(row: RegistrationRow | undefined): Identity | null {
  if (!row) return null;
  const { id, username, email, firstname, lastname } = row;
  return { id, username, email, emailVerified: false, firstname, lastname, status: 'PENDING', enabled: true };
}
