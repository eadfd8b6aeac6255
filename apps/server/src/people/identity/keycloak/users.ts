import { Problem } from '../../../foundation/http/index.ts';
import { IdentityProviderUnavailable, isApproved, type Identity, type NewUser } from '../identity-provider.ts';
import type { AskKeycloak } from './admin.ts';
import { member, type KeycloakAnswer } from './connection.ts';
import { toIdentity, toUserRepresentation } from './user.ts';

/** People with one address that are read; further ones are ignored. */
const MOST_OF_ONE_ADDRESS = 100;

/** The representation of this subject (UserRepresentation) in the admin interface, or null. */
export async function readUser(ask: AskKeycloak, subject: string): Promise<object | null> {
  if (!isSubject(subject)) return null;
  const answer = await ask('GET', `/users/${encodeURIComponent(subject)}`);
  if (answer.status === 404) return null;
  if (answer.status !== 200) throw unexpected('reading a user', answer);
  // Addresses such as `users/count` are no people, so the answer must contain this id.
  const { body } = answer;
  return typeof body === 'object' && member(body, 'id') === subject ? body : null;
}

export async function findUser(ask: AskKeycloak, subject: string): Promise<Identity | null> {
  return toIdentity(await readUser(ask, subject), subject);
}

/**
 * The person with this address, in lower case, or null. A realm can allow several people with one address; then an
 * approved user among them takes precedence.
 */
export async function findUserByEmail(ask: AskKeycloak, email: string): Promise<Identity | null> {
  const query = new URLSearchParams({
    email,
    exact: 'true',
    max: String(MOST_OF_ONE_ADDRESS),
    briefRepresentation: 'false',
  });
  // The result is filtered again, because Keycloak's comparison depends on its database and on the source of the
  // people.
  const found = (await listUsers(ask, query)).flatMap((user) => {
    const identity = toIdentity(user, idOf(user));
    return identity?.email.toLowerCase() === email ? [identity] : [];
  });
  return found.find(isApproved) ?? found[0] ?? null;
}

/** The representations of the people that a query finds. */
export async function listUsers(ask: AskKeycloak, query: URLSearchParams): Promise<unknown[]> {
  const answer = await ask('GET', `/users?${query.toString()}`);
  if (answer.status === 200 && Array.isArray(answer.body)) return answer.body as unknown[];
  throw unexpected('listing users', answer);
}

/** The id in a representation. */
export function idOf(user: unknown): string {
  return String(member(user, 'id'));
}

export async function deleteUser(ask: AskKeycloak, subject: string): Promise<void> {
  if (!isSubject(subject)) return;
  const answer = await ask('DELETE', `/users/${encodeURIComponent(subject)}`);
  // 404: there is no such user. 405: an address such as `users/profile`, which is no user.
  if (![204, 404, 405].includes(answer.status)) throw unexpected('deleting a user', answer);
}

/** Ends all sessions of a user. Throws IdentityProviderUnavailable. */
export async function endUserSessions(ask: AskKeycloak, subject: string): Promise<void> {
  if (!isSubject(subject)) return;
  const answer = await ask('POST', `/users/${encodeURIComponent(subject)}/logout`);
  if (answer.status !== 204 && answer.status !== 404) throw unexpected('ending sessions', answer);
}

/** Adds a user, and returns the id from the header Location. */
export async function addUser(ask: AskKeycloak, user: NewUser): Promise<string> {
  const answer = await ask('POST', '/users', toUserRepresentation(user));
  if (answer.status === 409)
    throw new Problem('conflict', 'A user with this username or e-mail address exists already.');
  const id = answer.headers.get('location')?.split('/').at(-1);
  if (answer.status === 201 && id !== undefined) return id;
  throw unexpected('adding a user', answer);
}

/** Characters of an id; a longer text is none. Ids are UUIDs, or `f:<id>:<name>` for people from a federated store. */
const LONGEST_SUBJECT = 512;

/**
 * Returns whether a text can be an id; others need no call. `.` and `..` would change the path of a URL, however they
 * are encoded.
 */
export function isSubject(text: string): boolean {
  const isText = text.length <= LONGEST_SUBJECT && text.isWellFormed() && !/\p{Cc}/u.test(text);
  return isText && text !== '' && text !== '.' && text !== '..';
}

export function unexpected(what: string, { status, body }: KeycloakAnswer): IdentityProviderUnavailable {
  return new IdentityProviderUnavailable(
    new Error(`${what} was answered ${status}: ${JSON.stringify(body)?.slice(0, 500)}`),
  );
}
